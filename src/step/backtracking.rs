//! Shorter and shorter parts of a motion, from the longest that is safe.
//!
//! All searches of the program use these functions, so that a bound on motions (contact, see
//! [`Objective::longest_part`](super::Objective::longest_part)) holds for every solver.

/// The factor from one part to the next shorter one after so many tries: a half, and after `halvings` of them a tenth,
/// since a sliver in a random state may have det F = 10¹⁰.
pub fn shrinkage(tries: u32, halvings: u32) -> f64 {
    if tries < halvings { 0.5 } else { 0.1 }
}

/// The smaller of 1 and `longest`, then half of it, a quarter, and so on down to `least`.
pub fn halves(longest: f64, least: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(longest.min(1.0)), |part| Some(0.5 * part))
        .take_while(move |part| *part >= least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_the_bound_and_end_at_the_least() {
        assert_eq!(halves(f64::INFINITY, 0.2).collect::<Vec<_>>(), [1.0, 0.5, 0.25]);
        assert_eq!(halves(0.6, 0.3).collect::<Vec<_>>(), [0.6, 0.3]);
        assert_eq!(halves(0.1, 0.3).count(), 0);
        assert_eq!([shrinkage(0, 10), shrinkage(9, 10), shrinkage(10, 10)], [0.5, 0.5, 0.1]);
    }
}
