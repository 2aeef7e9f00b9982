//! Tests of one fault at a time: its place, its message and its hint.

use super::{BASE, Overrides, faults, load_with, place};

/// Each row: what to replace in [`BASE`], the replacement, the place of the one fault, a part of its message and hint.
const BAD: &[(&str, &str, &str, &str)] = &[
    // Unknown keys and names.
    ("name = \"bar\"", "nmae = \"bar\"", "1:1 nmae", "unknown key|did you mean 'name'?"),
    ("young = 1e6", "yuong = 1e6", "14:37 body.0.material.yuong", "unknown key|did you mean 'young'?"),
    (
        "step = \"1/30\"",
        "sterp = 1",
        "4:1 time.sterp",
        "did you mean 'step'? valid keys: step, frames, substeps, integrator",
    ),
    (
        "max = [0.001, 2, 2]",
        "mox = [0.001, 2, 2]",
        "17:40 body.0.pin.0.select.box.mox",
        "did you mean 'max'?",
    ),
    ("{ box = {", "{ bax = {", "17:12 body.0.pin.0.select.bax", "unknown name 'bax'|did you mean 'box'?"),
    ("\"vtu\", \"ply\"", "\"vtu\", \"plyy\"", "21:19 output.formats.1", "'plyy'|did you mean 'ply'?"),
    ("\"beam\"", "\"baem\"", "13:22 body.0.generate.shape", "did you mean 'beam'?"),
    ("\"neo-hookean\"", "\"neohookean\"", "14:22 body.0.material.model", "did you mean 'neo-hookean'?"),
    ("\"quasi-newton\"", "\"quasinewton\"", "8:8 solver.kind", "did you mean 'quasi-newton'?"),
    ("{ rotate = {", "{ rotat = {", "18:12 body.0.pin.0.motion.rotat", "did you mean 'rotate'?"),
    (
        "[output]",
        "[contact]\nresponse = \"publshed\"\n[output]",
        "21:12 contact.response",
        "unknown name 'publshed'|did you mean 'published'?",
    ),
    // Types.
    (
        "frames = 10",
        "frames = 1.5",
        "5:10 time.frames",
        "expected a whole number that is not negative, found 1.5",
    ),
    (
        "frames = 10",
        "frames = -1",
        "5:10 time.frames",
        "expected a whole number that is not negative, found -1",
    ),
    ("young = 1e6", "young = \"a\"", "14:45 body.0.material.young", "expected a number, { array"),
    (
        "max = [0.001, 2, 2]",
        "max = [0, 2]",
        "17:46 body.0.pin.0.select.box.max",
        "expected 3 elements, found 2",
    ),
    (
        "size = [4, 1, 1]",
        "size = [4, true, 1]",
        "13:41 body.0.generate.size.1",
        "expected a number, found true",
    ),
    (
        "[time]\n",
        "[time.step]\n",
        "3:1 time.step",
        "expected a number of seconds or a fraction|found a table",
    ),
    (", max = [0.001, 2, 2]", "", "17:18 body.0.pin.0.select.box.max", "missing"),
    (
        "{ box = { min = [-1, -1, -1], max = [0.001, 2, 2] } }",
        "\"box\"",
        "17:10 body.0.pin.0.select",
        "'box' wants a",
    ),
    ("{ box = {", "{ ids = [1], box = {", "17:10 body.0.pin.0.select", "wants exactly one kind"),
    // Ranges.
    ("\"1/30\"", "\"1/0\"", "4:8 time.step", "must be above 0"),
    ("\"1/30\"", "\"fast\"", "4:8 time.step", "neither a number nor a fraction"),
    ("\"1/30\"", "nan", "4:8 time.step", "must be a finite number"),
    ("[0.001, 2, 2]", "[inf, 2, 2]", "17:47 body.0.pin.0.select.box.max.0", "must be a finite number"),
    ("iterations = 10", "iterations = 0", "9:14 solver.iterations", "must be at least 1"),
    ("iterations = 10", "tolerance = 1", "9:13 solver.tolerance", "below 1"),
    ("iterations = 10", "line_search = \"x\"", "9:15 solver.line_search", ""),
    (
        "iterations = 10",
        "precision = \"half\"",
        "9:13 solver.precision",
        "unknown name 'half' valid names: single, double",
    ),
    (
        "iterations = 10",
        "linear = \"cg\"\nprecision = \"double\"",
        "10:13 solver.precision",
        "needs linear = \"cholesky\"",
    ),
    ("name = \"one\"", "density = 0", "12:11 body.0.density", "must be above 0"),
    ("poisson = 0.45", "poisson = 0.5", "14:60 body.0.material.poisson", ""),
    ("[0.001, 2, 2]", "[0.001, -2, 2]", "17:46 body.0.pin.0.select.box.max", "must not be below min"),
    ("[1, 0, 0]", "[0, 0, 0]", "18:30 body.0.pin.0.motion.rotate.axis", "zero vector"),
    ("cells = [4, 1, 1]", "cells = [4, 0, 1]", "13:56 body.0.generate.cells", "at least 1"),
    ("name = \"one\"", "transform.scale = -1", "12:19 body.0.transform.scale", "must be above 0"),
    (
        "name = \"one\"",
        "deform = { squash = { axis = \"x\", factor = 0 } }",
        "12:44 body.0.deform.squash.factor",
        "0",
    ),
    (
        "name = \"one\"",
        "deform = [{ randomize = { amount = 2 } }]",
        "12:36 body.0.deform.0.randomize.amount",
        "to 1",
    ),
    ("frames = 10", "frames = 1000000000000000", "5:10 time.frames", "more than"),
    // Contradictions, names and what is missing.
    ("iterations = 10", "kind2 = 1", "9:1 solver.kind2", "unknown key|did you mean 'kind'?"),
    (
        "young = 1e6",
        "k = 1e6",
        "14:37 body.0.material.k",
        "'neo-hookean' does not take this key|it takes: select, model",
    ),
    (
        "shape = \"beam\"",
        "shape = \"beam\", radius = 1",
        "13:30 body.0.generate.radius",
        "does not take|size, cells",
    ),
    ("\"quasi-newton\"", "\"pd\"", "14:22 body.0.material.model", "solver 'pd' cannot simulate this"),
    (
        "\"quasi-newton\"",
        "\"newton\"\nhistory = 2",
        "9:1 solver.history",
        "solver 'newton' does not take this key",
    ),
    ("name = \"bar\"", "name = \"a/b\"", "1:8 name", "'/' cannot be part of a file name"),
    ("name = \"one\"", "name = \"..\"", "12:8 body.0.name", "must not begin with a dot"),
    (
        "[output]\n",
        "[[body]]\nname = \"One\"\ngenerate = { shape = \"sphere\", radius = 1, cells = 2 }\n\
      material = { model = \"arap\", k = 1 }\n[output]\n",
        "21:8 body.1.name",
        "body.0 already has the name",
    ),
    ("name = \"one\"", "mesh = \"a.vtu\"", "13:1 body.0.generate", "give either mesh or generate"),
    (
        "generate = { shape = \"beam\", size = [4, 1, 1], cells = [4, 1, 1] }",
        "",
        "11:1 body.0.mesh",
        "missing|generate",
    ),
    (
        "material = {",
        "velocity = { linear = [0, 0, 0] } #",
        "11:1 body.0.material",
        "missing|such as material =",
    ),
    ("model = \"neo-hookean\", ", "", "14:12 body.0.material.model", "missing|valid models: "),
    ("select = {", "kind = \"hard\" # {", "16:1 body.0.pin.0.select", "missing|valid kinds"),
    (
        "motion = { rotate",
        "motion = { translate = [1, 1, 1], rotate",
        "18:10 body.0.pin.0.motion",
        "found rotate and tra",
    ),
    (
        "motion = { rotate",
        "motion = { from = 2, until = 1, rotate",
        "18:30 body.0.pin.0.motion.until",
        "after from = 2",
    ),
    ("motion =", "kind = { soft = 0 }\nmotion =", "18:17 body.0.pin.0.kind.soft", "must be above 0"),
    (
        "motion =",
        "kind = { soft = { array = \"goal\", scale = -1 } }\nmotion =",
        "18:43 body.0.pin.0.kind.soft.scale",
        "must be above 0",
    ),
    (
        "motion =",
        "kind = { soft = { aray = \"goal\" } }\nmotion =",
        "18:19 body.0.pin.0.kind.soft.aray",
        "unknown key|did you mean 'array'?",
    ),
    (
        "motion =",
        "kind = { soft = \"goal\" }\nmotion =",
        "18:17 body.0.pin.0.kind.soft",
        "expected a number or { array",
    ),
    (
        "motion =",
        "active = { from = 2, until = 1 }\nmotion =",
        "18:30 body.0.pin.0.active.until",
        "must be after from = 2",
    ),
    (
        "motion =",
        "active = { from = 1, until = 1 }\nmotion =",
        "18:30 body.0.pin.0.active.until",
        "must be after from = 1",
    ),
    (
        "motion =",
        "active = { until = 0 }\nmotion =",
        "18:20 body.0.pin.0.active.until",
        "must be after from = 0",
    ),
    (
        "motion =",
        "active = { from = -1 }\nmotion =",
        "18:19 body.0.pin.0.active.from",
        "must not be negative",
    ),
    ("motion =", "active = { from = nan }\nmotion =", "18:19 body.0.pin.0.active.from", "finite"),
    ("motion =", "active = { until = inf }\nmotion =", "18:20 body.0.pin.0.active.until", "finite"),
    ("motion =", "active = { form = 1 }\nmotion =", "18:12 body.0.pin.0.active.form", "did you mean 'from'?"),
    ("motion =", "active = true\nmotion =", "18:10 body.0.pin.0.active", "expected a table"),
    (
        "rotate = { axis = [1, 0, 0], degrees_per_second = 90 }",
        "keyframes = { keys = [{ time = 1 }, { time = 0 }] }",
        "18:57 body.0.pin.0.motion.keyframes.keys.1.time",
        "must be after the key before it",
    ),
    (
        "rotate = { axis = [1, 0, 0], degrees_per_second = 90 }",
        "keyframes = { keys = [{ time = 1, degrees = 5 }] }",
        "18:24 body.0.pin.0.motion.keyframes.axis",
        "missing: the keys have degrees",
    ),
    ("name = \"one\"", "deform = { file = \"\" }", "12:19 body.0.deform.file", "must not be empty"),
    (
        "name = \"one\"",
        "deform = { rotate = { axis = [0, 0, 0], degrees = 90 } }",
        "12:30 body.0.deform.rotate.axis",
        "must not be the zero vector",
    ),
    ("name = \"one\"", "deform = {}", "12:10 body.0.deform", "wants exactly one kind, found none"),
    ("\"vtu\", \"ply\"", "\"vtu\", \"vtu\"", "21:19 output.formats.1", "listed twice"),
    (
        "formats =",
        "bodies = [\"onne\"]\nformats =",
        "21:11 output.bodies.0",
        "no body 'onne'|did you mean 'one'?",
    ),
    ("formats =", "bodies = []\nformats =", "21:10 output.bodies", "names no body"),
    ("formats =", "bodies = [\"one\", \"one\"]\nformats =", "21:18 output.bodies.1", "listed twice"),
    ("formats =", "fps = 0\nformats =", "21:7 output.fps", "must be above 0"),
    ("formats =", "start_frame = 2000000\nformats =", "21:15 output.start_frame", "must be from"),
    ("formats =", "compression = \"lz5\"\nformats =", "21:15 output.compression", "did you mean 'lz4'?"),
    // Syntax.
    ("frames = 10", "frames = = 10", "5:10 ", "not valid TOML"),
    ("[solver]", "[solver", "7:8 ", "not valid TOML: unclosed table"),
    ("frames = 10", "step = 1", "5:1 ", "not valid TOML: duplicate key"),
];

#[test]
fn every_fault_is_reported_at_its_place_with_a_way_out() {
    assert!(load_with(BASE, &Overrides::default()).is_ok(), "{:?}", faults(BASE, &Overrides::default()));
    for (from, to, expected_place, texts) in BAD {
        assert_eq!(BASE.matches(from).count(), 1, "{from}");
        let found = faults(&BASE.replace(from, to), &Overrides::default());
        let places: Vec<String> = found.iter().map(place).collect();
        assert_eq!(places, [*expected_place], "{to}: {found:#?}");
        let all = format!("{} {}", found[0].message, found[0].hint);
        for part in texts.split('|') {
            assert!(all.contains(part), "{to}: '{part}' is not in '{all}'");
        }
    }
}
