//! Single precision in files: numbers that it cannot hold are refused, not written as infinity.

use std::io;

/// Refuses finite numbers above 3.4e38, which single precision cannot hold. Numbers that are not finite stay what they are.
pub fn check(values: impl IntoIterator<Item = f64>) -> io::Result<()> {
    match values.into_iter().find(|x| x.is_finite() && (*x as f32).is_infinite()) {
        None => Ok(()),
        Some(x) => {
            let reason = format!(
                "{x:e} does not fit into single precision, which ends at 3.4e38: scale the mesh, or write a file in \
                 double precision, such as VTU without float32"
            );
            Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_become_infinite_is_refused() {
        assert!(check([0.0, 3.4e38, -3.4e38, 1e-320, f64::NAN, f64::INFINITY]).is_ok());
        for x in [1e308, -1e39, 3.5e38] {
            assert!(check([1.0, x]).unwrap_err().to_string().contains("single precision"), "{x}");
        }
    }
}
