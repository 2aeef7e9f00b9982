//! The part of a run in which a pin holds.

/// From when to when something is there, in s since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// When it begins, not negative.
    pub from: f64,
    /// When it ends, after `from`; may be infinite.
    pub until: f64,
}

/// How far the end of a step may be from `from` or `until` and count as being there, in steps.
const SLACK: f64 = 1e-6;

impl Period {
    /// True if it has the step of length `step` (s) that ends at `end` (s): from < end ≤ until.
    pub fn has_step(&self, end: f64, step: f64) -> bool {
        let end = end - SLACK * step;
        end > self.from && end <= self.until
    }

    /// True if it is the whole of every run.
    pub fn is_always(&self) -> bool {
        self.from <= 0.0 && self.until == f64::INFINITY
    }

    /// What is wrong with it and where, if anything is: the name of a number, and why it cannot be.
    pub fn refusal(&self) -> Option<(&'static str, String)> {
        let Period { from, until } = *self;
        if !(from >= 0.0 && from.is_finite()) {
            return Some(("from", "must not be negative".into()));
        }
        let ends_late = until > from;
        (!ends_late).then(|| ("until", format!("must be after from = {from}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_that_follow_each_other_share_no_step() {
        let (first, second) = (Period { from: 0.0, until: 0.5 }, Period { from: 0.5, until: f64::INFINITY });
        for step in [1.0 / 30.0, 0.1, 1.0 / 240.0, 1e-3] {
            let count = (0.5 / step + 0.5) as u64;
            for n in 1..2 * count {
                let end = n as f64 * step;
                assert_eq!(first.has_step(end, step), n <= count, "{n} {step}");
                assert_eq!(second.has_step(end, step), n > count, "{n} {step}");
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |from, until| Period { from, until }.refusal().map(|(key, _)| key);
        assert_eq!(refused(0.0, f64::INFINITY), None);
        assert_eq!(refused(0.5, 0.6), None);
        assert_eq!(refused(0.5, 0.5), Some("until"));
        assert_eq!(refused(0.5, f64::NAN), Some("until"));
        assert_eq!(refused(-0.1, 1.0), Some("from"));
        assert_eq!(refused(f64::NAN, 1.0), Some("from"));
        assert_eq!(refused(f64::INFINITY, f64::INFINITY), Some("from"));
    }
}
