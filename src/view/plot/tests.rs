//! Whole charts: valid XML, nothing outside the picture, labels apart, pixels where they belong.

use super::drawing::{Anchor, Drawing, Item};
use super::*;

fn wave(name: &str, look: usize, mark: Mark) -> Series {
    let points = (0..200).map(|i| [0.05 * f64::from(i), (0.1 * f64::from(i + 7 * look as i32)).sin() + 1.5]);
    Series { name: name.into(), points: points.collect(), mark, look }
}

/// Charts of many kinds: panels, logarithms, gaps, no data, long and odd names, big and small numbers.
fn examples() -> Vec<Chart> {
    let chart = |title: &str, y: Axis, series: Vec<Series>| Chart {
        title: title.into(),
        x: Axis::linear("time", "s"),
        panels: vec![Panel { y, series }],
    };
    let scaled = |factor: f64, look: usize| {
        let mut series = wave("scaled", look, Mark::Line);
        series.points.iter_mut().for_each(|p| p[1] *= factor);
        series
    };
    let many: Vec<Series> = (0..10).map(|i| wave(&format!("solver {i}"), i, Mark::Both)).collect();
    let mut gaps = wave("gaps", 0, Mark::Both);
    gaps.points[50] = [f64::NAN; 2];
    gaps.points[99][1] = f64::INFINITY;
    let decay = |look: usize| {
        let points = (0..60).map(|i| [f64::from(i), 10f64.powf(-0.25 * f64::from(i) / (1.0 + look as f64))]);
        Series { name: format!("run-{look}"), points: points.collect(), mark: Mark::Line, look }
    };
    let long = "a run with a <very> long & \"odd\" name that says all about its solver, mesh and steps \u{7}";
    let mut panels = chart("Panels", Axis::linear("energy", "J"), vec![wave("one", 0, Mark::Line)]);
    for i in 0..4 {
        let y = Axis::linear("a label that is too long for its panel", "kg m²/s");
        panels.panels.push(Panel { y, series: vec![scaled(10f64.powi(5 * i - 8), 0), scaled(1e9, 3)] });
    }
    vec![
        chart("Ten series", Axis::linear("y", ""), many.clone()),
        chart("Error", Axis::log("relative error", ""), (0..10).map(decay).collect()),
        chart("Gaps", Axis::linear("y", "m"), vec![gaps]),
        chart("Nothing", Axis::log("y", "m"), vec![Series::line("none", 0, vec![[0.0, -1.0]])]),
        chart("", Axis::linear("y", ""), vec![]),
        chart(long, Axis::linear("y", "Pa"), vec![wave(long, 0, Mark::Line), scaled(1e7, 1)]),
        chart(
            "Fifty",
            Axis::linear("y", ""),
            (0..50).map(|i| wave(&format!("run {i}"), i, Mark::Line)).collect(),
        ),
        chart("One", Axis::linear("y", ""), vec![Series::line("one", 0, vec![[1.0, 1e-9]])]),
        panels,
    ]
}

fn drawings() -> Vec<Drawing> {
    examples().iter().map(|chart| layout::layout(chart, Theme::Light)).collect()
}

#[test]
fn charts_are_valid_xml_with_their_texts() {
    for (chart, drawing) in examples().iter().zip(drawings()) {
        let text = svg::to_svg(&drawing);
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let root = document.root_element();
        assert_eq!(root.tag_name().name(), "svg");
        let title =
            root.children().find(|c| c.has_tag_name("title")).and_then(|t| t.text().map(str::to_owned));
        assert_eq!(title.unwrap_or_default(), chart.title.replace('\u{7}', "?"));
        let texts: Vec<&str> =
            root.descendants().filter(|n| n.tag_name().name() == "text").filter_map(|n| n.text()).collect();
        assert!(texts.contains(&"time (s)"), "{texts:?}");
        for series in chart.panels.iter().flat_map(|p| &p.series).filter(|s| s.name.len() < 20) {
            assert!(texts.contains(&series.name.as_str()), "{} {texts:?}", series.name);
        }
    }
}

/// The box of a text, `[left, top, right, bottom]`.
fn text_box(item: &Item) -> Option<[f64; 4]> {
    let Item::Text { text, at, size, anchor, upward, .. } = item else { return None };
    let width = font::width(text, *size);
    let back = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5 * width,
        Anchor::End => width,
    };
    let (low, high) = (0.2 * size, 0.75 * size);
    Some(if *upward {
        [at[0] - high, at[1] + back - width, at[0] + low, at[1] + back]
    } else {
        [at[0] - back, at[1] - high, at[0] - back + width, at[1] + low]
    })
}

#[test]
fn texts_do_not_overlap_and_stay_in_the_picture() {
    for drawing in drawings() {
        let boxes: Vec<[f64; 4]> = drawing.items.iter().filter_map(text_box).collect();
        for (i, a) in boxes.iter().enumerate() {
            let (width, height) = (f64::from(drawing.width), f64::from(drawing.height));
            assert!(
                a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width && a[3] <= height,
                "{}: {a:?}",
                drawing.title
            );
            for b in &boxes[..i] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{}: {a:?} {b:?}", drawing.title);
            }
        }
    }
}

#[test]
fn curves_stay_in_their_panels() {
    for drawing in drawings() {
        let is_frame = |item: &Item| matches!(item, Item::Line { points, .. } if points.len() == 5 && points[0] == points[4]);
        let mut frame = [0.0; 4];
        for item in &drawing.items {
            if let (true, Item::Line { points, .. }) = (is_frame(item), item) {
                frame = [points[0][0], points[0][1], points[2][0], points[2][1]];
            } else if let Item::Line { points, width, .. } = item
                && *width > 1.0
                && points.len() > 2
            {
                for p in points {
                    let inside = p[0] >= frame[0] - 1.0
                        && p[0] <= frame[2] + 1.0
                        && p[1] >= frame[1]
                        && p[1] <= frame[3];
                    assert!(inside, "{}: {p:?} {frame:?}", drawing.title);
                }
            }
        }
    }
}

#[test]
fn many_points_make_small_files() {
    let noise = |look: usize| {
        let mut random = elements::math::random::signed(look as u64);
        Series::line("noise", look, (0..100_000).map(|i| [f64::from(i), random()]).collect())
    };
    let panel = Panel { y: Axis::linear("y", ""), series: (0..3).map(noise).collect() };
    let chart = Chart { title: "Noise".into(), x: Axis::linear("step", ""), panels: vec![panel] };
    let drawing = layout::layout(&chart, Theme::Dark);
    assert!(svg::to_svg(&drawing).len() < 120_000);
}

#[test]
fn pixels_are_where_the_drawing_says() {
    let items = vec![
        Item::Area {
            points: vec![[10.0, 10.0], [20.0, 10.0], [20.0, 20.0], [10.0, 20.0]],
            colour: [255, 0, 0],
        },
        Item::Line {
            points: vec![[30.0, 5.5], [50.0, 5.5]],
            colour: [0, 0, 255],
            width: 1.0,
            dashes: &[4.0, 4.0],
        },
        Item::Text {
            text: "l".into(),
            at: [5.0, 25.0],
            size: 14.0,
            anchor: Anchor::Middle,
            upward: false,
            colour: [0, 0, 0],
        },
    ];
    let drawing = Drawing { title: String::new(), width: 60, height: 30, background: [255; 3], items };
    let mut bytes = vec![];
    png::write_png(&drawing, &mut bytes).unwrap();
    let mut reader = ::png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; 120 * 60 * 3];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((frame.width, frame.height, frame.buffer_size()), (120, 60, pixels.len()));
    let at = |x: usize, y: usize| &pixels[3 * (2 * y * 120 + 2 * x)..][..3];
    assert!(at(15, 15) == [255, 0, 0] && at(21, 15) == [255; 3] && at(15, 9) == [255; 3]);
    assert!(at(32, 5) == [0, 0, 255] && at(36, 5) == [255; 3] && at(40, 5) == [0, 0, 255]);
    assert!(at(32, 7) == [255; 3]);
    assert!(at(5, 20)[0] < 140 && at(5, 26) == [255; 3] && at(8, 20) == [255; 3], "{:?}", at(5, 20));
}

#[test]
fn pictures_without_pixels_or_of_another_size_are_refused() {
    for (size, pixels) in [([0, 0], 0), ([0, 5], 0), ([5, 0], 0), ([3, 2], 5), ([3, 2], 7)] {
        assert!(png::encode(size, &vec![[0; 3]; pixels], vec![]).is_err(), "{size:?} {pixels}");
    }
    assert!(png::encode([70_000, 1], &[[7; 3]; 70_000], vec![]).is_ok());
}

#[test]
fn both_formats_come_from_one_call_and_twice_the_same() {
    let dir = tempfile::tempdir().unwrap();
    for (i, chart) in examples().iter().enumerate() {
        for format in [Format::Svg, Format::Png] {
            let path = dir.path().join(format!("{i}.{}", format.extension()));
            write(chart, &path, format, Theme::Dark).unwrap();
            let first = std::fs::read(&path).unwrap();
            write(chart, &path, format, Theme::Dark).unwrap();
            assert!(first == std::fs::read(&path).unwrap() && first.len() < 1_000_000, "{i} {}", first.len());
        }
    }
}
