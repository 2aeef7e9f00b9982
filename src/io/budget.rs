//! How much a file may grow when it is decoded.
//!
//! A few bytes can stand for many: packed blocks, arrays that lie at the same place, values that are repeated for every
//! cell of a polygon. So that a small file cannot take the machine, what the arrays of a file become together is at most
//! 64 times the file and 64 MB more, unless the user allows more. Whoever reads such an array pays for it before the
//! memory is taken.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Fault, Parsed};

/// Decoded bytes for each byte of the file.
const FACTOR: u64 = 64;
/// Decoded bytes that every file may have.
const BASE: u64 = 64 << 20;

/// The bytes that the user allows every file.
static ALLOWED: AtomicU64 = AtomicU64::new(0);

/// Allows every file that is read from now on so many decoded bytes, if that is more than it may have anyway.
pub fn allow(bytes: u64) {
    ALLOWED.store(bytes, Ordering::Relaxed);
}

/// The bytes that the arrays of a file may still become.
pub(crate) struct Budget {
    limit: u64,
    left: Cell<u64>,
}

impl Budget {
    /// The budget of a file with this content.
    pub(crate) fn of(file: &[u8]) -> Budget {
        Budget::of_length(file.len())
    }

    /// The budget of files of so many bytes together.
    pub(crate) fn of_length(length: usize) -> Budget {
        let own = FACTOR.saturating_mul(length as u64).saturating_add(BASE);
        let limit = own.max(ALLOWED.load(Ordering::Relaxed));
        Budget { limit, left: Cell::new(limit) }
    }

    /// Pays for so many bytes, or refuses the file.
    pub(crate) fn charge(&self, bytes: usize) -> Parsed<()> {
        match self.left.get().checked_sub(bytes as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                let reason = format!(
                    "the arrays of the file become more than {:.0} MB when they are decoded, which is far more than \
                     the file has",
                    self.limit as f64 / 1e6
                );
                Err(Fault::new("", reason)
                    .hint("if the file is sound, allow more with --max-decoded, e.g. 8GB"))
            }
        }
    }

    /// Pays for so many numbers of eight bytes.
    pub(crate) fn charge_numbers(&self, count: usize) -> Parsed<()> {
        self.charge(count.saturating_mul(8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_payments_together_count() {
        let budget = Budget::of(&[0; 1000]);
        assert!(budget.charge(BASE as usize).is_ok() && budget.charge_numbers(8000).is_ok());
        let fault = budget.charge(1).unwrap_err();
        assert!(fault.reason.contains("67 MB") && fault.hint.contains("--max-decoded"), "{fault:?}");
        assert!(Budget::of(b"").charge_numbers(usize::MAX).is_err());
    }
}
