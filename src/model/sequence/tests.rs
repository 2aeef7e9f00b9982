//! Tests of places over time, and of what is one mesh.

use super::*;
use crate::scene::{Motion, Path as Way};

#[test]
fn places_are_linear_between_frames_and_constant_outside() {
    let points = [0.0, 1.0, 5.0].map(|x| vec![[9.0; 3], [x, 2.0 * x, 0.0], [0.0, 0.0, x]]).to_vec();
    let frames = Frames { times: vec![0.0, 0.5, 1.0], points };
    let by = Transform { translate: [10.0, 0.0, 0.0], scale: 2.0, ..Transform::default() };
    let places = Places::new(&frames, vec![1, 2], &by);
    assert_eq!((places.frames(), places.duration(), places.is_finite()), (3, 1.0, true));
    for (elapsed, x) in
        [(-1.0, 0.0), (0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 3.0), (1.0, 5.0), (9.0, 5.0)]
    {
        assert_eq!(places.at(1, elapsed), Some([10.0 + 2.0 * x, 4.0 * x, 0.0]), "{elapsed}");
        assert_eq!(places.at(2, elapsed), Some([10.0, 0.0, 2.0 * x]), "{elapsed}");
    }
    assert_eq!(places.at(0, 0.0), None);
    assert_eq!(places.renumbered(vec![0, 7]).at(7, 1.0), Some([10.0, 0.0, 10.0]));
}

#[test]
fn courses_know_their_vertices_and_may_begin_before_the_run() {
    let points = [0.0, 1.0].map(|x| vec![[9.0; 3], [x, 0.0, 0.0]]).to_vec();
    let frames = Frames { times: vec![0.0, 1.0], points };
    let places = Places::new(&frames, vec![1], &Transform::default());
    let sequence = Sequence { files: vec!["a.mdd".into()], fps: None };
    let motion = Motion { path: Way::Sequence(sequence), from: -0.25, until: 0.5 };
    let course = Course { motion, places: Some(Arc::new(places)), first: 10, is_relative: false };
    for (time, x) in [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (9.0, 0.75)] {
        assert_eq!(course.at(11, [7.0; 3], time), [x, 0.0, 0.0], "{time}");
        assert_eq!([course.at(9, [7.0; 3], time), course.at(10, [7.0; 3], time)], [[7.0; 3]; 2]);
    }
    // A pin that begins at 0.25 s, with its vertex elsewhere.
    let later = Course { is_relative: true, ..course };
    let origin = later.undo(11, [3.0, 4.0, 5.0], 0.25);
    for (time, x) in [(0.25, 3.0), (0.375, 3.125), (0.5, 3.25), (9.0, 3.25)] {
        assert_eq!(later.at(11, origin, time), [x, 4.0, 5.0], "{time}");
    }
}

#[test]
fn polygons_may_be_cut_in_other_ways() {
    // A triangle, a square and a pentagon.
    let fan = [[0, 1, 2], [3, 4, 5], [3, 5, 6], [6, 7, 8], [6, 8, 9], [6, 9, 5]];
    let ears = [[0, 1, 2], [4, 5, 6], [4, 6, 3], [7, 8, 9], [7, 9, 5], [7, 5, 6]];
    assert!(same_surface(&fan, &fan) && same_surface(&fan, &ears));
    for (at, other) in [(0, [0, 2, 1]), (0, [0, 1, 3]), (1, [3, 4, 6]), (2, [3, 6, 5]), (5, [6, 9, 4])] {
        let mut changed = fan;
        changed[at] = other;
        assert!(!same_surface(&fan, &changed), "{changed:?}");
    }
    // Closed surfaces have no border: other numbers of the same vertices are not one polygon.
    let tetrahedra = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2], [4, 5, 6], [4, 6, 7], [4, 7, 5], [5, 7, 6]];
    let exchanged = tetrahedra.map(|t| t.map(|v| if v == 3 || v == 7 { 10 - v } else { v }));
    let turned = tetrahedra.map(|[a, b, c]| [a, c, b]);
    assert!(!same_surface(&tetrahedra, &exchanged) && !same_surface(&tetrahedra, &turned));
}
