//! Soft pins whose stiffness is painted: springs of those stiffnesses give what closed forms say.

use pliant::io;
use pliant::mesh::{DataArray, Mesh};

use crate::common::program::Place;

/// A file with a point array `goal`.
fn painted(mesh: Mesh, goal: Vec<f64>) -> Mesh {
    Mesh { point_data: vec![DataArray { name: "goal".into(), components: 1, values: goal }], ..mesh }
}

/// A chain of 1 m along x in `parts` edges.
fn chain(parts: u32, goal: impl Fn(f64) -> f64) -> Mesh {
    let at = |i: u32| f64::from(i) / f64::from(parts);
    let points = (0..=parts).map(|i| [at(i), 0.0, 0.0]).collect();
    let edges = (0..parts).map(|i| [i, i + 1]).collect();
    painted(Mesh { points, edges, ..Mesh::default() }, (0..=parts).map(|i| goal(at(i))).collect())
}

/// The scene of a body in steps of 100 s without gravity, which end in equilibrium.
fn still(body: &str) -> String {
    format!(
        "[time]\nstep = 100\nframes = 1\n[solver]\nkind = \"newton\"\niterations = 60\ntolerance = 1e-10\n\
         [world]\ngravity = [0, 0, 0]\n[[body]]\nname = \"own\"\n{body}\n[output]\nformats = [\"ply\"]\n"
    )
}

/// The positions of the last frame.
fn last(place: &Place, run: &str, frame: &str) -> Vec<[f64; 3]> {
    io::read(&place.path(&format!("{run}/ply/own_{frame}.ply"))).unwrap().points
}

/// The displacements u of springs κ in a row, each end on a spring k to where it was, under forces f: Thomas' algorithm for
/// κ (2 uᵢ − uᵢ₋₁ − uᵢ₊₁) + kᵢ uᵢ = fᵢ, with one κ at the ends.
fn row(kappa: f64, k: &[f64], f: &[f64]) -> Vec<f64> {
    let n = k.len();
    let mut diagonal: Vec<f64> =
        (0..n).map(|i| k[i] + kappa * if i == 0 || i == n - 1 { 1.0 } else { 2.0 }).collect();
    let mut u = f.to_vec();
    for i in 1..n {
        let part = -kappa / diagonal[i - 1];
        diagonal[i] += part * kappa;
        u[i] -= part * u[i - 1];
    }
    u[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        u[i] = (u[i] + kappa * u[i + 1]) / diagonal[i];
    }
    u
}

#[test]
fn a_ramp_of_weights_gives_the_stretch_of_springs_of_those_stiffnesses() {
    let place = Place::new();
    let (parts, scale, pull) = (20, 40.0, 3.0);
    // Nothing holds the first third, and the rest more and more.
    let ramp = |x: f64| (1.5 * (x - 1.0 / 3.0)).max(0.0);
    io::write(&chain(parts, ramp), &place.path("chain.vtu")).unwrap();
    let body = format!(
        "mesh = \"chain.vtu\"\nline = {{ kind = \"spring\", young = 1e6 }}\n\
         load = [{{ select = {{ ids = [0] }}, force = [{}, 0, 0] }}]\n\
         [[body.pin]]\nselect = \"all\"\nkind = {{ soft = {{ array = \"goal\", scale = {scale} }} }}\n",
        -pull
    );
    let kappa = 1e6 * std::f64::consts::PI * 0.005f64.powi(2) * f64::from(parts);
    let k: Vec<f64> = (0..=parts).map(|i| scale * ramp(f64::from(i) / f64::from(parts))).collect();
    let mut f = vec![0.0; k.len()];
    f[0] = -pull;
    let expected = row(kappa, &k, &f);
    for (name, active) in [("always", ""), ("passing", "active = { until = 1000 }")] {
        place.write(&format!("{name}.toml"), &still(&format!("{body}{active}")));
        place.succeed(&["-q", "simulate", &format!("{name}.toml"), "-o", name]);
        let x = last(&place, name, "0001");
        for (i, (x, u)) in x.iter().zip(&expected).enumerate() {
            let found = x[0] - i as f64 / f64::from(parts);
            assert!((found - u).abs() < 1e-6 * expected[0].abs(), "{name}: vertex {i}: {found} for {u}");
        }
    }
    assert!(expected[0] < 3.0 * expected[20] && expected[20] < 0.0, "the ramp is felt: {expected:?}");
}

/// A closed box of quads that are cut in two, `n` on a side, 1 m long.
fn boundary(n: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let h = 1.0 / f64::from(n);
    for axis in 0..3 {
        for side in [0.0, 1.0] {
            let first = mesh.points.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let mut p = [side; 3];
                    p[(axis + 1) % 3] = f64::from(i) * h;
                    p[(axis + 2) % 3] = f64::from(j) * h;
                    mesh.points.push(p);
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let at = |i, j| first + i * (n + 1) + j;
                    let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    let turned = if side > 0.5 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    mesh.triangles.extend(turned);
                }
            }
        }
    }
    mesh
}

#[test]
fn springs_at_a_painted_surface_carry_the_tets_within_it() {
    let place = Place::new();
    // As stiff at one side as at the other, so that the cube sinks and does not turn.
    let goal = |p: &[f64; 3]| (p[0] - 0.5).abs() + 0.2 * p[1];
    let cube = boundary(6);
    let weights: Vec<f64> = cube.points.iter().map(goal).collect();
    let whole: f64 = weights.iter().sum();
    io::write(&painted(cube.clone(), weights.clone()), &place.path("cube.ply")).unwrap();
    for (name, select, held) in [
        ("whole", "\"all\"", whole),
        (
            "upper",
            "{ plane = { point = [0, 0.99, 0], normal = [0, 1, 0] } }",
            cube.points.iter().zip(&weights).filter(|(p, _)| p[1] >= 0.99).map(|(_, w)| w).sum(),
        ),
    ] {
        for element in ["linear", "quadratic"] {
            let body = format!(
                "surface = \"cube.ply\"\nelement = \"{element}\"\ntetrahedralize = {{ cells = 3000 }}\n\
                 material = {{ model = \"corotated\", young = 1e9, poisson = 0.3 }}\n\
                 [[body.pin]]\nselect = {select}\nkind = {{ soft = {{ array = \"goal\", scale = 1e4 }} }}"
            );
            let scene = still(&body).replace("gravity = [0, 0, 0]", "gravity = [0, -9.81, 0]");
            place.write("cube.toml", &scene);
            place.succeed(&["-q", "simulate", "cube.toml", "-o", name, "--force"]);
            let x = last(&place, name, "0001");
            let count = x.len() as f64;
            let sag = x.iter().zip(&cube.points).map(|(x, p)| p[1] - x[1]).sum::<f64>() / count;
            let expected = 1000.0 * 9.81 / (1e4 * held);
            println!("{name}, {element}: sags {sag:.5} m for {expected:.5} m");
            assert!((sag / expected - 1.0).abs() < 0.01, "{name}, {element}: {sag} for {expected}");
        }
    }
}

#[test]
fn what_cannot_be_painted_is_refused_with_the_vertex() {
    let place = Place::new();
    let values = |bad: f64| move |x: f64| if x > 0.99 { bad } else { 1.0 };
    for (name, bad) in [("good", 1.0), ("negative", -0.5), ("nan", f64::NAN), ("infinite", f64::INFINITY)] {
        io::write(&chain(4, values(bad)), &place.path(&format!("{name}.vtu"))).unwrap();
    }
    io::write(&chain(4, |_| 0.0), &place.path("none.vtu")).unwrap();
    for (file, array, reason) in [
        ("negative", "goal", "pin 0: point array 'goal' is -0.5 at vertex 4, must be 0 or more"),
        ("nan", "goal", "'goal' is NaN at vertex 4"),
        ("infinite", "goal", "'goal' is inf at vertex 4"),
        ("none", "goal", "is 0 at every selected vertex: nothing is held"),
        ("good", "gaol", "the mesh has no point array 'gaol' (did you mean 'goal'?)"),
    ] {
        let body = format!(
            "mesh = \"{file}.vtu\"\nline = {{}}\n[[body.pin]]\nselect = \"all\"\nkind = {{ soft = {{ array = \"{array}\" }} }}"
        );
        place.write("scene.toml", &still(&body));
        let told = place.fail(2, &["check", "scene.toml"]);
        assert!(told.contains(reason) && told.contains("body 'own'"), "{told}");
    }
}
