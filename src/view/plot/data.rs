//! From the points of a series to lines and markers: pieces between gaps, thinned to what a pixel can show.

use std::collections::BTreeSet;

use super::scale::{Kind, Scale};

/// The area of a panel in pixels, with its axes.
pub(super) struct Frame {
    /// The left end of the horizontal axis.
    pub left: f64,
    /// The right end of the horizontal axis.
    pub right: f64,
    /// The upper end of the vertical axis.
    pub top: f64,
    /// The lower end of the vertical axis.
    pub bottom: f64,
    /// The kind and the span of the horizontal axis.
    pub x: (Kind, Scale),
    /// The kind and the span of the vertical axis.
    pub y: (Kind, Scale),
}

impl Frame {
    /// The pixel of a point; `None` if it cannot be shown.
    pub fn pixel(&self, point: [f64; 2]) -> Option<[f64; 2]> {
        let shown = self.x.0.shows(point[0]) && self.y.0.shows(point[1]);
        shown.then(|| {
            let (u, v) = (self.x.1.place(point[0]), self.y.1.place(point[1]));
            [self.left + u * (self.right - self.left), self.bottom - v * (self.bottom - self.top)]
        })
    }
}

/// The lines of a series in pixels: one for each sequence of points that can be shown.
pub(super) fn lines(points: &[[f64; 2]], frame: &Frame) -> Vec<Vec<[f64; 2]>> {
    let mut lines = vec![];
    let mut line = vec![];
    for pixel in points.iter().map(|p| frame.pixel(*p)).chain([None]) {
        match pixel {
            Some(pixel) => line.push(pixel),
            None if line.is_empty() => {}
            None => lines.push(thin(&std::mem::take(&mut line))),
        }
    }
    lines
}

/// Keeps at most four of neighbouring points in one column of pixels: the first, the highest, the lowest, the last.
fn thin(line: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut out = vec![];
    for column in line.chunk_by(|a, b| a[0].floor() == b[0].floor()) {
        let by_height = |a: &usize, b: &usize| column[*a][1].total_cmp(&column[*b][1]);
        let highest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let lowest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut kept = [0, highest.min(lowest), highest.max(lowest), column.len() - 1].to_vec();
        kept.dedup();
        out.extend(kept.into_iter().map(|i| column[i]));
    }
    out
}

/// Series of at most this many points have a marker at each of them.
const FEW: usize = 60;

/// The markers of a series in pixels. If there are many points, some are left out: those that would hide a line, and in
/// a cloud those at the same place.
pub(super) fn markers(points: &[[f64; 2]], frame: &Frame, has_line: bool) -> Vec<[f64; 2]> {
    let mut all: Vec<[f64; 2]> = points.iter().filter_map(|p| frame.pixel(*p)).collect();
    if all.len() > FEW && has_line {
        let mut last = f64::NEG_INFINITY;
        all.retain(|p| {
            let is_apart = (p[0] - last).abs() >= 16.0;
            last = if is_apart { p[0] } else { last };
            is_apart
        });
    } else if all.len() > FEW {
        let mut taken = BTreeSet::new();
        all.retain(|p| taken.insert(p.map(|c| (c / 3.0).round() as i64)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: Kind) -> Frame {
        let scale = |kind, low, high| (kind, Scale::around(kind, [low, high].into_iter(), 0.0));
        Frame {
            left: 100.0,
            right: 400.0,
            top: 10.0,
            bottom: 210.0,
            x: scale(Kind::Linear, 0.0, 3.0),
            y: scale(kind, 1.0, 100.0),
        }
    }

    #[test]
    fn what_cannot_be_shown_leaves_a_gap() {
        let nan = f64::NAN;
        let points = [[0.0, 1.0], [1.0, 10.0], [1.5, nan], [2.0, 100.0], [2.5, 0.0], [nan, 3.0], [3.0, 1.0]];
        let got = lines(&points, &frame(Kind::Log));
        let want = [vec![[100.0, 210.0], [200.0, 110.0]], vec![[300.0, 10.0]], vec![[400.0, 210.0]]];
        assert_eq!(got, want);
        assert_eq!(lines(&points, &frame(Kind::Linear))[1].len(), 2);
        assert_eq!(markers(&points, &frame(Kind::Log), false).len(), 4);
    }

    #[test]
    fn many_points_become_few_and_peaks_stay() {
        let mut points: Vec<[f64; 2]> =
            (0..100_000).map(|i| [3e-5 * f64::from(i), 50.0 + 10.0 * (0.1 * f64::from(i)).sin()]).collect();
        points[54_321][1] = 99.0;
        points[12_345][1] = 2.0;
        let frame = frame(Kind::Linear);
        let all: Vec<[f64; 2]> = lines(&points, &frame).concat();
        assert!(all.len() <= 4 * 301, "{}", all.len());
        for i in [0, 12_345, 54_321, 99_999] {
            assert!(all.contains(&frame.pixel(points[i]).unwrap()), "point {i} is lost");
        }
        assert!(all.is_sorted_by(|a, b| a[0] <= b[0]));
        assert!(markers(&points, &frame, true).len() < 20);
        assert!(markers(&points, &frame, false).len() < 10_000);
    }
}
