//! Tests of `[contact]`, `[[obstacle]]` and `contact` of a body.

use super::{BASE, Loaded, Overrides, load_with};
use crate::config::{parse, to_toml};
use crate::prelude::{Body, Contact, Obstacle, Scene, Shape};
use crate::scene::{BodyContact, ContactPair, ContactStart, MeshSource, ObstacleShape, Path};

/// All keys, and every shape but meshes.
const SCENE: &str = r#"
[contact]
distance = 0.002
stiffness = 1e5
friction = 0.1
self = false
bodies = false
start = "exclude"
pairs = [{ between = ["cloth", "floor"], contact = false }, { between = ["cloth", "cloth"], friction = 0.5 }]

[[obstacle]]
name = "floor"
shape = { plane = { point = [0, 0.1, 0], normal = [0, 2, 0] } }
friction = 0.7

[[obstacle]]
shape = { sphere = { center = [0, 1, 0], radius = 0.3 } }
motion = { rotate = { axis = [0, 0, 2], degrees_per_second = 180 }, from = 0.1 }
[[obstacle]]
shape = { capsule = { from = [0, 0, 0], to = [1, 0, 0], radius = 0.1 } }
motion = { keyframes = { keys = [{ time = 0 }, { time = 1, translate = [0, 1, 0] }] } }
[[obstacle]]
shape = { box = { min = [-1, -1, -1], max = [1, 1, 1.5] } }
transform = { translate = [0, 1, 0], scale = 0.5, rotate = { axis = [0, 0, 1], degrees = 30 } }
motion = { shake = { amplitude = [0, 0.1, 0], frequency = 2 } }
[[obstacle]]
shape = { cylinder = { from = [0, 2, 0], to = [1, 2, 0], radius = 0.2 } }
motion = { translate = [0, 0, 1] }
[[obstacle]]
shape = { torus = { center = [0, 0, 3], axis = [0, 0, 4], major = 1, minor = 0.25 } }

[[body]]
name = "cloth"
generate = { shape = "cloth", size = [1, 1], cells = [2, 2] }
springs = { stiffness = 10 }
contact = { thickness = 0.001, friction = 0.3, self = true }
"#;

fn loaded() -> Loaded {
    parse(SCENE).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn contact_is_resolved_and_written_back_to_the_same_bits() {
    let first = loaded();
    let scene = &first.scene;
    let contact = Contact {
        response: Default::default(),
        distance: Some(0.002),
        stiffness: Some(1e5),
        friction: 0.1,
        own: false,
        bodies: false,
        start: ContactStart::Exclude,
        pairs: vec![
            ContactPair { between: ["cloth".into(), "floor".into()], contact: false, friction: None },
            ContactPair { between: ["cloth".into(), "cloth".into()], contact: true, friction: Some(0.5) },
        ],
    };
    assert_eq!(scene.contact, Some(contact));
    let of_body = BodyContact { thickness: Some(0.001), friction: Some(0.3), own: Some(true) };
    assert_eq!(scene.bodies[0].contact, of_body);
    let names: Vec<(&str, &str)> =
        scene.obstacles.iter().map(|o| (o.name.as_str(), o.shape.name())).collect();
    let expected = [
        ("floor", "plane"),
        ("obstacle1", "sphere"),
        ("obstacle2", "capsule"),
        ("obstacle3", "box"),
        ("obstacle4", "cylinder"),
        ("obstacle5", "torus"),
    ];
    assert_eq!(names, expected);
    assert_eq!((scene.obstacles[0].friction, &scene.obstacles[0].motion), (Some(0.7), &None));
    assert!(matches!(scene.obstacles[4].motion.as_ref().unwrap().path, Path::Translate([0.0, 0.0, 1.0])));
    assert_eq!(scene.obstacles[1].motion.as_ref().unwrap().from, 0.1);
    assert_eq!(scene.obstacles[3].transform.scale, 0.5);
    let text = to_toml(&first);
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(format!("{scene:?}"), format!("{:?}", again.scene));
    assert_eq!(text, to_toml(&again));
    scene.check().unwrap();
}

#[test]
fn contact_is_off_until_there_is_its_table_or_an_obstacle() {
    let load = |more: &str| load_with(&format!("{BASE}{more}"), &Overrides::default()).unwrap();
    let plain = load("");
    assert_eq!((&plain.scene.contact, plain.scene.obstacles.len()), (&None, 0));
    assert!(!to_toml(&plain).contains("contact"));
    assert_eq!(load("[contact]").scene.contact, Some(Contact::default()));
    let touching = load("[[obstacle]]\nshape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }");
    assert_eq!(touching.scene.contact, Some(Contact::default()));
    let floor = Obstacle::plane("obstacle0", [0.0; 3], [0.0, 1.0, 0.0]);
    assert_eq!(touching.scene.obstacles, [floor]);
}

#[test]
fn meshes_of_obstacles_are_found_beside_the_config() {
    let directory = tempfile::tempdir().unwrap();
    let table = directory.path().join("table.obj");
    std::fs::write(&table, "").unwrap();
    let config = directory.path().join("scene.toml");
    let text = format!("{BASE}[[obstacle]]\nshape = {{ mesh = \"table.obj\" }}");
    std::fs::write(&config, &text).unwrap();
    let loaded = crate::config::load(&config, &Overrides::default()).unwrap();
    assert_eq!(loaded.scene.obstacles[0].shape, ObstacleShape::Mesh(MeshSource::File(table)));
    std::fs::write(&config, text.replace("table", "tabel")).unwrap();
    let message = crate::config::load(&config, &Overrides::default()).unwrap_err().to_string();
    assert!(message.contains("obstacle.0.shape.mesh: no such file: "), "{message}");
    assert!(message.contains("did you mean 'table.obj'?"), "{message}");
}

/// Each row: what to replace in [`SCENE`], the replacement, and parts of the only message.
const BAD: &[(&str, &str, &str)] = &[
    ("distance = 0.002", "distance = 0", "contact.distance: must be above 0"),
    ("stiffness = 1e5", "stiffness = -1", "contact.stiffness: must be above 0"),
    ("stiffness = 1e5", "stiffness = inf", "contact.stiffness: must be a finite number"),
    ("friction = 0.1", "friction = -0.1", "contact.friction: must not be negative"),
    ("\"exclude\"", "\"exlude\"", "contact.start: unknown name 'exlude'|did you mean 'exclude'?"),
    ("bodies = false", "bodys = false", "contact.bodys: unknown key|did you mean 'bodies'?"),
    ("self = false", "self = 1", "contact.self: "),
    (
        "[\"cloth\", \"floor\"]",
        "[\"cloth\", \"flor\"]",
        "contact.pairs.0.between.1: no body or obstacle 'flor'|did you mean 'floor'?",
    ),
    (
        "[\"cloth\", \"floor\"]",
        "[\"obstacle2\", \"floor\"]",
        "contact.pairs.0.between: names two obstacles|name a body",
    ),
    (
        "[\"cloth\", \"cloth\"]",
        "[\"floor\", \"cloth\"]",
        "contact.pairs.1.between: pairs.0 is about the same two already",
    ),
    ("[\"cloth\", \"floor\"]", "[\"cloth\"]", "contact.pairs.0.between"),
    ("between = [\"cloth\", \"floor\"], ", "", "contact.pairs.0.between: missing"),
    ("friction = 0.5", "friction = -0.5", "contact.pairs.1.friction: must not be negative"),
    ("friction = 0.7", "friction = -0.7", "obstacle.0.friction: must not be negative"),
    ("friction = 0.7", "frction = 0.7", "obstacle.0.frction: unknown key|did you mean 'friction'?"),
    ("name = \"floor\"", "name = \"a/b\"", "obstacle.0.name: '/' cannot be part|contact.pairs.0.between.1"),
    (
        "friction = 0.7",
        "[[obstacle]]\nname = \"Cloth\"\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }",
        "obstacle.1.name: body.0 already has the name 'Cloth'|must be unique",
    ),
    (
        "friction = 0.7",
        "[[obstacle]]\nname = \"Floor\"\nshape = { sphere = { center = [0, 0, 0], radius = 1 } }",
        "obstacle.1.name: obstacle.0 already has the name 'Floor'",
    ),
    (
        "shape = { plane = { point = [0, 0.1, 0], normal = [0, 2, 0] } }",
        "",
        "obstacle.0.shape: missing|valid kinds: plane",
    ),
    ("{ plane = {", "{ plan = {", "obstacle.0.shape.plan: unknown name 'plan'|did you mean 'plane'?"),
    (
        "normal = [0, 2, 0]",
        "normal = [0, 0, 0]",
        "obstacle.0.shape.plane.normal: must not be the zero vector",
    ),
    ("point = [0, 0.1, 0]", "point = [0, nan, 0]", "obstacle.0.shape.plane.point.1: must be a finite number"),
    (", normal = [0, 2, 0]", "", "obstacle.0.shape.plane.normal: missing"),
    ("radius = 0.3", "radius = 0", "obstacle.1.shape.sphere.radius: must be above 0"),
    ("axis = [0, 0, 2]", "axis = [0, 0, 0]", "obstacle.1.motion.rotate.axis: must not be the zero vector"),
    ("radius = 0.1", "radius = -0.1", "obstacle.2.shape.capsule.radius: must be above 0"),
    (
        "from = [0, 0, 0], to = [1, 0, 0]",
        "from = [1, 0, 0], to = [1, 0, 0]",
        "obstacle.2.shape.capsule.to: must not be the same point as from",
    ),
    (
        "max = [1, 1, 1.5]",
        "max = [1, -1, 1.5]",
        "obstacle.3.shape.box.max: must be above min along x, y and z",
    ),
    ("scale = 0.5", "scale = 0", "obstacle.3.transform.scale: must be above 0"),
    ("axis = [0, 0, 1]", "axis = [0, 0, 0]", "obstacle.3.transform.rotate.axis: must not be the zero vector"),
    ("frequency = 2", "frequency = 0", "obstacle.3.motion.shake.frequency: must be above 0"),
    ("radius = 0.2", "radius = 0", "obstacle.4.shape.cylinder.radius: must be above 0"),
    ("from = [0, 2, 0]", "from = [1, 2, 0]", "obstacle.4.shape.cylinder.to: must not be the same point"),
    ("translate = [0, 0, 1]", "from = 1", "obstacle.4.motion: wants exactly one kind, found none"),
    ("axis = [0, 0, 4]", "axis = [0, 0, 0]", "obstacle.5.shape.torus.axis: must not be the zero vector"),
    ("major = 1", "major = 0", "obstacle.5.shape.torus.major: must be above 0"),
    ("minor = 0.25", "minor = 0", "obstacle.5.shape.torus.minor: must be above 0"),
    ("minor = 0.25", "minor = 1", "obstacle.5.shape.torus.minor: must be less than major"),
    ("thickness = 0.001", "thickness = -1", "body.0.contact.thickness: must not be negative"),
    ("friction = 0.3", "friction = -0.3", "body.0.contact.friction: must not be negative"),
    (
        "thickness = 0.001",
        "thick = 1",
        "body.0.contact.thick: unknown key|valid keys: thickness, friction, self",
    ),
];

#[test]
fn faults_are_reported_at_their_keys() {
    for (from, to, expected) in BAD {
        assert_eq!(SCENE.matches(from).count(), 1, "{from}");
        let message = parse(&SCENE.replace(from, to)).map(|_| ()).unwrap_err().to_string();
        for part in expected.split('|') {
            assert!(message.contains(part), "{to}: '{part}' is not in '{message}'");
        }
        let faults = message.matches("scene.toml:").count();
        assert_eq!(faults, if to.contains("a/b") { 2 } else { 1 }, "{to}: {message}");
    }
}

#[test]
fn contact_of_a_body_wants_contact_in_the_scene() {
    let text = BASE.replace("name = \"one\"", "name = \"one\"\ncontact = { friction = 1 }");
    let message = parse(&text).map(|_| ()).unwrap_err().to_string();
    let expected = "body.0.contact: has no effect without [contact] or an [[obstacle]]";
    assert!(message.contains(expected) && message.contains("add the table [contact]"), "{message}");
    assert!(parse(&format!("{text}[contact]")).is_ok());
}

#[test]
fn scenes_in_code_are_checked_likewise() {
    let scene = || {
        let cloth = Body::new("cloth", Shape::Cloth { size: [1.0; 2], cells: [1; 2] });
        Scene::new("s").body(cloth).obstacle(Obstacle::plane("floor", [0.0; 3], [0.0, 1.0, 0.0]))
    };
    let between = |a: &str, b: &str| Contact {
        pairs: vec![ContactPair { between: [a.into(), b.into()], contact: true, friction: None }],
        ..Contact::default()
    };
    let ball = |radius: f64| Obstacle::sphere("ball", [0.0; 3], radius);
    let mut thin = scene();
    thin.bodies[0].contact.thickness = Some(f64::NAN);
    let mut off = scene();
    off.contact = None;
    for (scene, expected) in [
        (scene().obstacle(ball(-1.0)), "obstacle 'ball': shape.sphere.radius: must be above 0"),
        (scene().obstacle(ball(f64::NAN)), "obstacle 'ball': shape.sphere.radius: must be above 0"),
        (scene().obstacle(ball(1.0).friction(-1.0)), "obstacle 'ball': friction: must not be negative"),
        (
            scene().obstacle(Obstacle::sphere("CLOTH", [0.0; 3], 1.0)),
            "obstacle 'CLOTH': a body or another obstacle has this name",
        ),
        (
            scene().obstacle(Obstacle::plane("wall", [f64::INFINITY; 3], [1.0; 3])),
            "obstacle 'wall': shape.plane.point: must be finite numbers",
        ),
        (scene().obstacle(Obstacle::sphere("a:b", [0.0; 3], 1.0)), "the name 'a:b': "),
        (scene().contact(between("cloth", "flor")), "contact.pairs.0.between.1: no body or obstacle 'flor'"),
        (scene().contact(between("floor", "floor")), "contact.pairs.0.between: names two obstacles"),
        (
            scene().contact(Contact { distance: Some(0.0), ..Contact::default() }),
            "contact.distance: must be above 0",
        ),
        (thin, "body 'cloth': contact.thickness: must not be negative"),
        (off, "a scene with obstacles has contact too (set Scene::contact)"),
    ] {
        let message = scene.check().unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    scene().check().unwrap();
}
