//! Axes: the values that they span, and their ticks and labels.
//!
//! Linear ticks are multiples of 1, 2 or 5 times a power of ten. Logarithmic ticks are powers of ten, or every n-th of
//! them if there are too many, with unlabelled lines at their multiples if there is room.

/// The relation between values and positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths.
    Log,
}

/// Beyond this, sums and differences of values could overflow.
const HUGE: f64 = 1e300;

impl Kind {
    /// True if a value has a place on an axis of this kind.
    pub fn shows(self, value: f64) -> bool {
        value.abs() < HUGE && (self == Kind::Linear || value > 1.0 / HUGE)
    }

    fn warp(self, value: f64) -> f64 {
        match self {
            Kind::Linear => value,
            Kind::Log => value.log10(),
        }
    }
}

/// The span of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    kind: Kind,
    /// The ends of the axis; on a logarithmic axis, exponents of ten.
    low: f64,
    high: f64,
}

/// A line across the panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The place of the tick, from 0 at the low end of the axis to 1 at the high end.
    pub place: f64,
    /// The text at the tick; if it is empty, the line is faint.
    pub label: String,
}

/// The ticks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// The ticks in ascending order.
    pub list: Vec<Tick>,
    /// The power of ten by which labels are to be multiplied.
    pub exponent: i32,
}

impl Scale {
    /// The span of all values that can be shown, with `margin` (a part of the span) on both sides.
    ///
    /// A single value gets a span around it. Without any value, the span is arbitrary.
    pub fn around(kind: Kind, values: impl Iterator<Item = f64>, margin: f64) -> Scale {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| kind.shows(*v)) {
            low = low.min(kind.warp(value));
            high = high.max(kind.warp(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        match kind {
            Kind::Linear => {
                let size = low.abs().max(high.abs());
                if high - low <= 1e-11 * size || size < 1.0 / HUGE {
                    let half = if size < 1.0 / HUGE { 1.0 } else { 0.1 * size };
                    (low, high) = (low - half, high + half);
                }
            }
            // The axis has at least two powers of ten, so that ticks show the length of a decade.
            Kind::Log if high.floor() - low.ceil() < 1.0 => {
                (low, high) = (low.floor(), high.ceil());
                if high - low < 1.0 {
                    (low, high) = (low - 1.0, high + 1.0);
                }
            }
            Kind::Log => {}
        }
        let pad = margin * (high - low);
        Scale { kind, low: low - pad, high: high + pad }
    }

    /// The linear span of 0 and all values that can be shown, with `margin` at the ends that are not 0.
    pub fn from_zero(values: impl Iterator<Item = f64>, margin: f64) -> Scale {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for value in values.filter(|v| Kind::Linear.shows(*v)) {
            low = low.min(value);
            high = high.max(value);
        }
        if high - low < 1.0 / HUGE {
            high = 1.0;
        }
        let pad = margin * (high - low);
        let (below, above) = (if low < 0.0 { pad } else { 0.0 }, if high > 0.0 { pad } else { 0.0 });
        Scale { kind: Kind::Linear, low: low - below, high: high + above }
    }

    /// The place of a value: 0 at the low end, 1 at the high end.
    pub fn place(&self, value: f64) -> f64 {
        self.place_warped(self.kind.warp(value))
    }

    fn place_warped(&self, warped: f64) -> f64 {
        (warped - self.low) / (self.high - self.low)
    }

    /// About `count` ticks, but at least 2, as one alone shows no length.
    pub fn ticks(&self, count: usize) -> Ticks {
        match self.kind {
            Kind::Linear => {
                let tries = (count.max(2)..20).map(|count| self.linear_ticks(count));
                tries.into_iter().find(|t| t.list.len() > 1).unwrap_or_else(|| self.linear_ticks(20))
            }
            Kind::Log => self.log_ticks(count.max(2)),
        }
    }

    fn linear_ticks(&self, count: usize) -> Ticks {
        let (digit, power) = nice_step((self.high - self.low) / count as f64);
        let step = digit * ten(power);
        // Multiples are counted relative to the first, because numbers far from 0 have few digits to spare.
        let first = (self.low / step - 1e-9).ceil();
        let number = ((self.high - first * step) / step + 1e-9).floor().clamp(0.0, 1e3) as usize;
        let size = self.low.abs().max(self.high.abs());
        let exponent = common_exponent(size);
        let decimals = (exponent - power).max(0) as usize;
        let list = (0..=number).map(|i| {
            let value = (first + i as f64) * step;
            let label = number_text(value / ten(exponent), decimals.min(17));
            Tick { place: self.place(value), label }
        });
        Ticks { list: list.collect(), exponent }
    }

    fn log_ticks(&self, count: usize) -> Ticks {
        let (first, last) = ((self.low - 1e-9).ceil() as i32, (self.high + 1e-9).floor() as i32);
        let decades = (last - first + 1).max(1) as usize;
        let every = [1, 2, 3, 5, 10, 20, 50].into_iter().find(|n| decades / n <= count).unwrap_or(100);
        let mut list = vec![];
        for power in first - 1..=last {
            if power >= first {
                let is_labelled = power.rem_euclid(every as i32) == 0 || decades <= count;
                let label = if is_labelled { power_of_ten(power) } else { String::new() };
                list.push(Tick { place: self.place_warped(f64::from(power)), label });
            }
            for digit in 2..10 {
                let place = self.place_warped(f64::from(power) + f64::from(digit).log10());
                if decades <= 5 && (0.0..=1.0).contains(&place) {
                    list.push(Tick { place, label: String::new() });
                }
            }
        }
        Ticks { list, exponent: 0 }
    }
}

/// The least of 1, 2, 5 times a power of ten that is not below `rough`: (digit, power).
fn nice_step(rough: f64) -> (f64, i32) {
    let power = rough.log10().floor() as i32;
    for digit in [1.0, 2.0, 5.0] {
        if digit * ten(power) >= rough * (1.0 - 1e-9) {
            return (digit, power);
        }
    }
    (1.0, power + 1)
}

/// 10 to a power, rounded correctly, as a literal would be.
fn ten(power: i32) -> f64 {
    format!("1e{power}").parse().unwrap_or(f64::INFINITY)
}

/// The multiple of three by whose power of ten labels are divided: 0 for numbers that read well as they are.
fn common_exponent(size: f64) -> i32 {
    if (0.01..1e4).contains(&size) { 0 } else { 3 * (size.log10() / 3.0).floor() as i32 }
}

/// A number with a true minus sign, and no sign at zero.
fn number_text(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|b| b == b'0' || b == b'.') => digits.to_owned(),
        Some(digits) => format!("\u{2212}{digits}"),
        None => text,
    }
}

/// The text `10ⁿ` with a raised exponent.
pub fn power_of_ten(power: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    };
    format!("10{}", power.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, kind: Kind, count: usize) -> (Vec<String>, i32) {
        let ticks = Scale::around(kind, [low, high].into_iter(), 0.0).ticks(count);
        (ticks.list.into_iter().map(|t| t.label).filter(|l| !l.is_empty()).collect(), ticks.exponent)
    }

    #[test]
    fn linear_ticks_are_round_numbers() {
        for (low, high, count, want, exponent) in [
            (0.0, 10.0, 5, "0 2 4 6 8 10", 0),
            (0.0, 1.0, 5, "0.0 0.2 0.4 0.6 0.8 1.0", 0),
            (-1.0, 1.0, 4, "−1.0 −0.5 0.0 0.5 1.0", 0),
            (0.4, 2.0, 8, "0.4 0.6 0.8 1.0 1.2 1.4 1.6 1.8 2.0", 0),
            (0.0, 2.5e6, 5, "0.0 0.5 1.0 1.5 2.0 2.5", 6),
            (-3e-7, 0.0, 3, "−300 −200 −100 0", -9),
            (1000.0, 1000.3, 3, "1000.0 1000.1 1000.2 1000.3", 0),
            (0.0, 0.03, 3, "0.00 0.01 0.02 0.03", 0),
            (3.0, 97.0, 2, "20 40 60 80", 0),
        ] {
            let (got, power) = labels(low, high, Kind::Linear, count);
            assert_eq!((got.join(" ").as_str(), power), (want, exponent), "{low} … {high}");
        }
    }

    #[test]
    fn ticks_are_where_their_labels_say() {
        let mut random = elements::math::random::signed(7);
        for _ in 0..500 {
            let size = 10f64.powf(12.0 * random());
            let (low, span) = (size * random(), size * (1e-4 + random().abs()));
            let scale = Scale::around(Kind::Linear, [low, low + span].into_iter(), 0.04);
            let ticks = scale.ticks(5);
            assert!((2..=12).contains(&ticks.list.len()), "{low} {span} {ticks:?}");
            for tick in &ticks.list {
                let text = tick.label.replace('\u{2212}', "-");
                let value = text.parse::<f64>().unwrap() * 10f64.powi(ticks.exponent);
                assert!((scale.place(value) - tick.place).abs() < 1e-6, "{low} {span} {tick:?}");
                assert!((-1e-6..=1.0 + 1e-6).contains(&tick.place));
            }
        }
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        assert_eq!(labels(1e-3, 1e2, Kind::Log, 6).0, ["10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹", "10²"]);
        assert_eq!(labels(1e-16, 1.0, Kind::Log, 6).0, ["10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "10⁰"]);
        assert_eq!(labels(3.0, 4.0, Kind::Log, 6).0, ["10⁰", "10¹"]);
        assert_eq!(labels(1.0, 1.0, Kind::Log, 6).0, ["10⁻¹", "10⁰", "10¹"]);
        let scale = Scale::around(Kind::Log, [1.0, 100.0].into_iter(), 0.0);
        let places: Vec<f64> = scale.ticks(4).list.iter().map(|t| t.place).collect();
        assert!(places.is_sorted() && places.len() == 19);
        assert!((scale.place(10.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn counts_begin_at_zero() {
        for (values, low, high) in [
            (&[10.0, 11.0][..], 0.0, 11.55),
            (&[-3.0], -3.15, 0.0),
            (&[0.0, f64::NAN], 0.0, 1.05),
            (&[-1.0, 1.0], -1.1, 1.1),
        ] {
            let scale = Scale::from_zero(values.iter().copied(), 0.05);
            assert!(scale.place(low).abs() < 1e-12 && (scale.place(high) - 1.0).abs() < 1e-12, "{values:?}");
        }
    }

    #[test]
    fn spans_never_vanish_or_overflow() {
        for values in [
            &[][..],
            &[0.0],
            &[5.0, 5.0],
            &[f64::NAN, f64::INFINITY],
            &[-1e299, 1e299],
            &[1e-299, 2e-299],
            &[1e-320],
            &[1e9, 1e9 + 1e-6],
        ] {
            for kind in [Kind::Linear, Kind::Log] {
                let scale = Scale::around(kind, values.iter().copied(), 0.04);
                let ticks = scale.ticks(5);
                assert!(ticks.list.len() > 1 && ticks.list.len() < 60, "{values:?} {kind:?} {ticks:?}");
                assert!(
                    ticks.list.iter().all(|t| t.place > -1e-6 && t.place < 1.0 + 1e-6),
                    "{values:?} {ticks:?}"
                );
            }
        }
        assert!(!Kind::Log.shows(0.0) && !Kind::Log.shows(-1.0) && !Kind::Linear.shows(f64::NAN));
    }
}
