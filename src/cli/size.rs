//! Numbers of bytes, as people write and read them.

/// The units, each a thousand times the one before.
const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];

/// A number of bytes for people to read.
pub(super) fn shown(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Reads a number of bytes: `500000`, `500kB`, `1.5 GB`.
pub(super) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..end].trim(), &text[end..]);
    let power =
        if unit.is_empty() { Some(0) } else { UNITS.iter().position(|u| u.eq_ignore_ascii_case(unit)) };
    let value = number.parse::<f64>().ok().zip(power).map(|(n, power)| n * 1000f64.powi(power as i32));
    match value.filter(|bytes| (1.0..1e18).contains(bytes)) {
        Some(bytes) => Ok(bytes as u64),
        None => Err("wants a number of bytes such as 500MB or 8GB".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_shown() {
        for (text, bytes) in [("7", 7), ("500kB", 500_000), ("1.5 GB", 1_500_000_000), ("8gb", 8_000_000_000)]
        {
            assert_eq!(parse(text), Ok(bytes));
        }
        assert_eq!(parse(&shown(1_500_000)), Ok(1_500_000));
        for text in ["", "GB", "-1", "0", "1e30", "5 apples", "nan", "inf"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
