//! Names of scenes and bodies, which become parts of file names.

/// The greatest length of a name in bytes; it leaves room for a frame number and an extension.
const LONGEST: usize = 200;

/// Why a name cannot be part of a file name on some common system; `None`: it can.
pub fn fault(name: &str) -> Option<String> {
    let stem = name.split('.').next().unwrap_or_default().to_uppercase();
    let device = ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str())
        || (stem.len() == 4
            && (stem.starts_with("COM") || stem.starts_with("LPT"))
            && stem.ends_with(char::is_numeric));
    let bad = name.chars().find(|c| c.is_control() || "/\\:*?\"<>|".contains(*c));
    if name.is_empty() {
        Some("must not be empty".into())
    } else if let Some(c) = bad {
        Some(format!("{c:?} cannot be part of a file name"))
    } else if name.starts_with(['.', '-', ' ']) || name.ends_with(['.', ' ']) {
        Some(
            "as a file name, it must not begin with a dot, dash or space, nor end with a dot or space".into(),
        )
    } else if device {
        Some(format!("'{name}' is the name of a device on Windows"))
    } else {
        (name.len() > LONGEST).then(|| format!("longer than {LONGEST} bytes"))
    }
}

/// Which of some earlier names a name equals; upper and lower case are one on some disks.
pub fn twin<'a>(mut earlier: impl Iterator<Item = &'a str>, name: &str) -> Option<usize> {
    earlier.position(|other| other.to_lowercase() == name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_file_can_have_are_refused() {
        for name in ["", "a/b", "a\\b", "..", ".a", "a.", "a\n", "nul", "com1.x", "-a", "a:b"] {
            assert!(fault(name).is_some(), "{name:?}");
        }
        for name in ["a", "bar.v2", "Würfel 1", "console", "x_0-1"] {
            assert_eq!(fault(name), None, "{name:?}");
        }
        assert_eq!(twin(["b", "a"].into_iter(), "A"), Some(1));
        assert_eq!(twin(["b", "a"].into_iter(), "c"), None);
    }
}
