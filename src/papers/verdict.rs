//! Whether a figure is what the paper says.

use serde::{Deserialize, Serialize};

use super::outcome::Figure;
use super::spec::{Cell, Known, Paper, Side, Spec};

/// The judgement on a figure or on a row; of a row it is the worst one of its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is better than the paper's.
    Better,
    /// The rule is kept.
    Met,
    /// The rule is not kept, and the figure is the one that was found and explained.
    Differs,
    /// The rule is not kept, and there is no explanation for this figure.
    Fails,
}

impl Verdict {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Met => "met",
            Verdict::Differs => "differs",
            Verdict::Fails => "FAILS",
        }
    }
}

/// Judges a figure.
pub fn judge(cell: &Cell, ours: Figure) -> Verdict {
    match by_rule(cell, ours) {
        Verdict::Fails if cell.known.as_ref().is_some_and(|known| is_known(known, ours)) => Verdict::Differs,
        verdict => verdict,
    }
}

/// Judges a row by the figures of its cells. `Met` needs at least one figure; without any it fails.
pub fn judge_row(spec: &Spec, figures: &[(String, Figure)]) -> Verdict {
    let verdicts: Vec<Verdict> = judged(spec, figures).map(|(cell, figure)| judge(cell, figure)).collect();
    match verdicts.iter().max() {
        None => Verdict::Fails,
        Some(Verdict::Better | Verdict::Met) if verdicts.contains(&Verdict::Better) => Verdict::Better,
        Some(worst) => *worst,
    }
}

/// The cells that have a figure, with it.
pub fn judged<'a>(
    spec: &'a Spec,
    figures: &'a [(String, Figure)],
) -> impl Iterator<Item = (&'a Cell, Figure)> {
    spec.cells.iter().filter_map(|cell| {
        figures.iter().find(|(name, _)| *name == cell.name).map(|(_, figure)| (cell, *figure))
    })
}

fn by_rule(cell: &Cell, ours: Figure) -> Verdict {
    let (ours, paper) = match (ours, &cell.paper) {
        (Figure::Never, Some(Paper::Word(_))) => return Verdict::Met,
        (Figure::Never, _) => return Verdict::Fails,
        (Figure::Number(ours), Some(Paper::Word(_))) => {
            return if bounded(cell, ours).unwrap_or(false) { Verdict::Met } else { Verdict::Fails };
        }
        (Figure::Number(ours), Some(Paper::Number(paper))) => (ours, Some(*paper)),
        (Figure::Number(ours), None) => (ours, None),
    };
    if let Some(keeps) = bounded(cell, ours) {
        return if keeps { Verdict::Met } else { Verdict::Fails };
    }
    let Some(paper) = paper else { return Verdict::Fails };
    let slack = (cell.within.unwrap_or(0.0) * paper.abs()).max(cell.near.unwrap_or(0.0));
    if (ours - paper).abs() <= slack + 1e-12 * paper.abs() {
        return Verdict::Met;
    }
    match cell.better {
        Some(Side::Lower) if ours < paper => Verdict::Better,
        Some(Side::Higher) if ours > paper => Verdict::Better,
        _ => Verdict::Fails,
    }
}

/// Whether the bounds of a cell are kept; `None` if it has none. What is not a number keeps none.
fn bounded(cell: &Cell, ours: f64) -> Option<bool> {
    let below = cell.at_most.map(|most| ours <= most);
    let above = cell.at_least.map(|least| ours >= least);
    match (below, above) {
        (None, None) => None,
        (below, above) => Some(below.unwrap_or(true) && above.unwrap_or(true)),
    }
}

fn is_known(known: &Known, ours: Figure) -> bool {
    match (&known.ours, ours) {
        (Paper::Word(_), Figure::Never) => true,
        (Paper::Number(found), Figure::Number(ours)) => {
            (ours - found).abs() <= known.within.unwrap_or(0.1) * found.abs()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(rule: &str) -> Cell {
        toml::from_str(&format!("name = 'a'\nvalue = {{ of = 'error', solver = 'pd' }}\n{rule}")).unwrap()
    }

    #[test]
    fn every_rule_can_be_kept_and_missed() {
        use Verdict::{Better, Differs, Fails, Met};
        for (rule, ours, expected) in [
            ("paper = 10\nwithin = 0.2", 11.9, Met),
            ("paper = 10\nwithin = 0.2", 12.1, Fails),
            ("paper = 10\nwithin = 0.2\nbetter = 'lower'", 1.0, Better),
            ("paper = 10\nwithin = 0.2\nbetter = 'lower'", 13.0, Fails),
            ("paper = 10\nbetter = 'higher'", 11.0, Better),
            ("paper = 0\nnear = 0.05", 0.04, Met),
            ("paper = 0\nnear = 0.05", 0.06, Fails),
            ("paper = 1e7", 1e7, Met),
            ("paper = 1e7", 1e8, Fails),
            ("at_least = 10", 10.0, Met),
            ("at_least = 10", 9.0, Fails),
            ("at_least = 10", f64::NAN, Fails),
            ("at_least = 10", f64::INFINITY, Met),
            ("at_most = 10\nat_least = 5", 4.0, Fails),
            ("paper = 'never'", 3.0, Fails),
            ("paper = 10\nwithin = 0.1\nknown = { ours = 20, why = 'x' }", 21.0, Differs),
            ("paper = 10\nwithin = 0.1\nknown = { ours = 20, why = 'x' }", 23.0, Fails),
            ("paper = 10\nwithin = 0.1\nknown = { ours = 20, why = 'x' }", 10.5, Met),
        ] {
            assert_eq!(judge(&cell(rule), Figure::Number(ours)), expected, "{rule}: {ours}");
        }
        assert_eq!(judge(&cell("paper = 'never'"), Figure::Never), Met);
        assert_eq!(judge(&cell("paper = 3\nwithin = 1"), Figure::Never), Fails);
        assert_eq!(judge(&cell("paper = 3\nknown = { ours = 'never', why = 'x' }"), Figure::Never), Differs);
    }
}
