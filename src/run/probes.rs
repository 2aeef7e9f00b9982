//! `probes.csv`: what probes have measured at the start and after each step.

/// The name of the file.
pub const NAME: &str = "probes.csv";

/// The columns that every row begins with: frame, step and time in s.
pub const COUNTS: [&str; 3] = ["frame", "step", "time"];

/// The first line, for the columns of the probes.
pub fn header(columns: &[String]) -> String {
    format!("{},{}\n", COUNTS.join(","), columns.join(","))
}

/// A row. Numbers read back to the same bits.
pub fn row(frame: u64, step: u64, time: f64, values: &[f64]) -> String {
    let values: String = values.iter().map(|value| format!(",{value}")).collect();
    format!("{frame},{step},{time}{values}\n")
}

/// The header and the rows up to `step`; `None` if rows are missing.
pub fn rows_until(text: &str, step: u64) -> Option<String> {
    let number = |row: &str| row.split(',').nth(1).and_then(|s| s.parse::<u64>().ok());
    let mut lines = text.lines();
    let header = lines.next()?;
    let rows: Vec<&str> = lines.take_while(|row| number(row).is_some_and(|s| s <= step)).collect();
    let is_whole = rows.iter().zip(0..).all(|(row, wanted)| number(row) == Some(wanted));
    (is_whole && rows.len() as u64 == step + 1)
        .then(|| std::iter::once(header).chain(rows).flat_map(|row| [row, "\n"]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_at_a_step_and_missing_ones_are_seen() {
        let head = header(&["tip_y".to_owned()]);
        let rows: Vec<String> = (0..4).map(|i| row(i, i, i as f64 * 0.5, &[0.25 * i as f64])).collect();
        let whole = head.clone() + &rows.concat();
        assert_eq!(rows_until(&whole, 3), Some(whole.clone()));
        assert_eq!(rows_until(&whole, 1), Some(head.clone() + &rows[..2].concat()));
        assert_eq!(rows_until(&(head + &rows[1..].concat()), 3), None);
        assert_eq!(rows_until(&whole, 4), None);
    }
}
