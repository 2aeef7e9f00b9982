//! Momenta and energy that stay: constrained projective dynamics against what implicit Euler loses.

use crate::common::meshes::papers;
use crate::common::scenes::{HELD, weightless};
use crate::common::{distance, place, simulation};
use elements::math::lanes::Vec4;
use elements::math::random::SplitMix64;
use pliant::cache::Cache;
use pliant::config::{self, Overrides};
use pliant::simulate::Simulation;
use pliant::simulate::metrics::{StepMetrics, momenta};
use pliant::step::Iterate;

const CONSTRAINED: &str = "kind = \"constrained-pd\"\niterations = 60\ntolerance = 1e-4";
const SPIN: &str = "velocity = { angular = [0, 0, 4] }";
const ARAP: &str = "{ model = \"arap\", young = 1e5, poisson = 0.3 }";

fn scene(step: &str, solver: &str, body: &str) -> Simulation {
    simulation(&weightless(&format!("{step}\nframes = 300"), solver, body))
}

/// A cube of 792 vertices, stretched by half, in free space \[Kee2021, Fig. 2\].
fn cube(step: &str, solver: &str, material: &str, more: &str) -> Simulation {
    let body = format!(
        "element = \"linear\"\ngenerate = {{ shape = \"box\", size = [1, 1, 1], cells = [10, 8, 7], split = 6 }}\nmaterial = {material}\n\
         deform = {{ stretch = [1, 1.5, 1] }}\n{more}"
    );
    scene(step, solver, &body)
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

/// A run and what it did to what should stay.
struct Course {
    /// |H − H₀|/H₀, the largest of all steps.
    energy: f64,
    /// Likewise of L, relative to √(2 m H₀)·1 m where it begins with zero.
    angular: f64,
    /// The elastic energy of every step in J.
    elastic: Vec<f64>,
    iterations: f64,
    last: StepMetrics,
}

fn course(simulation: &mut Simulation, steps: usize) -> Course {
    let Simulation { objective, state, .. } = &*simulation;
    let mut at = objective.iterate_at(state.x.clone());
    objective.evaluate(&mut at);
    let first = momenta(&objective.mass, &state.x, &state.v);
    let energy = first.kinetic + at.value.elastic;
    let mass: f64 = objective.mass.iter().sum();
    let spin = length(first.angular).max((2.0 * mass * energy).sqrt() * 1e-3);
    let mut out = Course {
        energy: 0.0,
        angular: 0.0,
        elastic: vec![],
        iterations: 0.0,
        last: simulation.advance().unwrap(),
    };
    for step in 0..steps {
        if step > 0 {
            out.last = simulation.advance().unwrap();
        }
        let m = &out.last;
        out.energy = out.energy.max((m.kinetic + m.value.elastic + m.potential - energy).abs() / energy);
        out.angular = out.angular.max(length(minus(m.angular, first.angular)) / spin);
        out.elastic.push(m.value.elastic);
        out.iterations += m.iterations as f64 / steps as f64;
    }
    out
}

/// Lowest and highest.
fn span(values: &[f64]) -> [f64; 2] {
    [values.iter().fold(f64::INFINITY, |a, b| a.min(*b)), values.iter().fold(0.0, |a: f64, b| a.max(*b))]
}

fn nudge(random: &mut SplitMix64, size: f64) -> Vec4 {
    Vec4::new(std::array::from_fn(|_| size * (2.0 * random.uniform() - 1.0)))
}

#[test]
fn constraints_have_the_gradients_that_the_solver_takes() {
    // Soft pins, forces and two bodies; with and without a prescribed energy.
    for control in ["", "control = { energy = 100 }"] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/20"
            [solver]
            kind = "constrained-pd"
            [[body]]
            element = "linear"
            generate = {{ shape = "box", size = [1, 0.5, 0.7], cells = [2, 2, 2] }}
            material = {ARAP}
            {control}
            [[body.pin]]
            select = {{ box = {{ min = [-1, -1, -1], max = [0.1, 9, 9] }} }}
            kind = {{ soft = 500 }}
            motion = {{ translate = [0, 1, 0] }}
            [[body]]
            element = "linear"
            generate = {{ shape = "sphere", radius = 0.5, cells = 2 }}
            transform = {{ translate = [0, 3, 0] }}
            material = {{ model = "stable-neo-hookean", young = 1e5, poisson = 0.3 }}
            [[body.load]]
            select = {{ nearest = {{ point = [0, 4, 0] }} }}
            force = [30, 2, 1]
            "#
        ));
        let mut random = SplitMix64::new(7);
        for (x, v) in simulation.state.x.clone().into_iter().zip(0..) {
            let d = nudge(&mut random, 0.03);
            simulation.state.x[v] = Vec4(std::array::from_fn(|k| x.0[k] + d.0[k]));
            simulation.state.v[v] = nudge(&mut random, 2.0);
        }
        simulation.conserve();
        let (_, mut at) = simulation.next_stage().unwrap();
        let objective = &simulation.objective;
        for x in &mut at.x {
            let d = nudge(&mut random, 0.02);
            *x = Vec4(std::array::from_fn(|k| x.0[k] + d.0[k]));
        }
        objective.evaluate(&mut at);
        let direction: Vec<Vec4> = (0..objective.free).map(|_| nudge(&mut random, 1.0)).collect();
        let size = 1e-5;
        let along = |s: f64| -> Iterate {
            let mut moved = at.clone();
            for (x, d) in moved.x.iter_mut().zip(&direction) {
                *x = Vec4(std::array::from_fn(|k| x.0[k] + s * d.0[k]));
            }
            objective.evaluate(&mut moved);
            moved
        };
        let (behind, ahead) = (along(-size), along(size));
        let kept: Vec<[bool; 7]> = objective.constraints.iter().map(|c| c.kept.mask()).collect();
        // The soft pins are soft enough for the step.
        assert_eq!(kept, [[true; 7]; 2]);
        for c in &objective.constraints {
            let mut pull = vec![Vec4::ZERO; objective.free];
            c.pull_at(&at.x, &mut pull);
            let sums = c.project(&at.gradient, &pull, &direction);
            let [p, l] = [sums.linear, sums.angular];
            let derivatives = [p[0], p[1], p[2], l[0], l[1], l[2], sums.dots[0] + sums.dots[1]];
            let (a, b) = (c.values(&behind), c.values(&ahead));
            let scale = derivatives.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
            for (i, d) in derivatives.iter().enumerate() {
                let measured = (b[i] - a[i]) / (2.0 * size);
                let part =
                    if i < 6 { derivatives[..6].iter().fold(0.0, |m: f64, d| m.max(d.abs())) } else { scale };
                assert!((measured - d).abs() < 1e-7 * part, "{control} c_{i}: {measured} for {d}");
            }
        }
    }
}

#[test]
fn iterations_end_where_no_direction_along_the_constraints_lowers_the_objective() {
    // A fixed point of the iteration solves ∇g + ∇c λ = 0, c = 0.
    let mut simulation = cube("step = \"1/120\"", "kind = \"constrained-pd\"\niterations = 400", ARAP, SPIN);
    simulation.advance().unwrap();
    simulation.advance().unwrap();
    let (_, start) = simulation.next_stage().unwrap();
    let options = pliant::solver::constrained_pd::Options::default();
    let settings = pliant::solver::SolverSettings::new(options, 1, 0.0).unwrap();
    let mut solver = settings.build();
    solver.prepare(&simulation.objective, &Cache::disabled()).unwrap();
    let mut at = start.clone();
    solver.begin_step(&simulation.objective, &at);
    let mut moves = vec![];
    for _ in 0..400 {
        let before = at.x.clone();
        solver.iterate(&simulation.objective, &mut at, &mut Default::default()).unwrap();
        moves.push(distance(&before, &at.x));
    }
    let c = &simulation.objective.constraints[0];
    let violation = c.kept.violation(&c.values(&at), &c.scale);
    println!("first move {:.1e} m, last {:.1e} m, |c| {violation:.1e}", moves[0], moves[399]);
    assert!(moves[399] < 1e-9 * moves[0]);
    // α at the default regularization.
    assert!(violation < 1e-4);
}

#[test]
fn a_stretched_spinning_cube_keeps_its_energy_its_spin_and_its_ringing() {
    for material in [ARAP, "{ model = \"corotated\", young = 1e5, poisson = 0.3 }"] {
        let mut simulation = cube("step = \"1/30\"", CONSTRAINED, material, SPIN);
        let run = course(&mut simulation, 300);
        let [low, high] = span(&run.elastic[240..]);
        println!(
            "{material}: H within {:.1e}, L within {:.1e}, elastic {low:.0} to {high:.0} J in the last two seconds, \
             {:.1} iterations a frame",
            run.energy, run.angular, run.iterations
        );
        assert!(run.energy < 1e-3 && run.angular < 1e-6, "H {:e}, L {:e}", run.energy, run.angular);
        assert!(high > 1.1 * low, "no ringing: {low} to {high}");
        assert!(run.iterations < 19.0);
    }
    let mut pd = cube("step = \"1/30\"", "kind = \"pd\"\niterations = 10", ARAP, SPIN);
    let run = course(&mut pd, 300);
    println!("pd loses {:.0} % of H and {:.0} % of L", 100.0 * run.energy, 100.0 * run.angular);
    assert!(run.energy > 0.9 && run.angular > 0.5);
}

#[test]
fn momenta_that_are_zero_stay_zero() {
    for (step, steps) in [("step = \"1/30\"", 150), ("step = \"1/600\"", 600)] {
        let mut simulation = cube(step, CONSTRAINED, ARAP, "");
        let mass: f64 = simulation.objective.mass.iter().sum();
        let run = course(&mut simulation, steps);
        let speed = (2.0 * mass * (run.last.kinetic + run.last.value.elastic)).sqrt();
        let (p, l) = (length(run.last.linear) / speed, length(run.last.angular) / speed);
        let [low, high] = span(&run.elastic);
        println!(
            "{step}: H within {:.1e}, P {p:.1e}, L {l:.1e} of √2mH, elastic {low:.0} to {high:.0} J, {:.1} iterations",
            run.energy, run.iterations
        );
        assert!(p < 1e-10 && l < 1e-10 && run.energy < 1e-3 && high > 1.3 * low);
    }
}

/// How often the body's axis turns over with respect to L, and the cosine of the largest angle between them.
fn turns(simulation: &mut Simulation, axis: usize, steps: usize) -> (usize, f64) {
    let centre: [f64; 3] = [0.6, 0.3, 0.15];
    let (mut side, mut count, mut worst) = (1.0, 0, 1.0f64);
    for _ in 0..steps {
        let m = simulation.advance().unwrap();
        let x = simulation.model.to_input(&simulation.state.x);
        let mut direction = [0.0; 3];
        for (x, rest) in x.iter().zip(&simulation.model.rest) {
            let arm = rest[axis] - centre[axis];
            (0..3).for_each(|k| direction[k] += arm * x[k]);
        }
        let dot: f64 = (0..3).map(|k| direction[k] * m.angular[k]).sum();
        let cosine = dot / (length(direction) * length(m.angular));
        worst = worst.min(cosine);
        if cosine * side < -0.7 {
            (side, count) = (-side, count + 1);
        }
    }
    (count, worst)
}

#[test]
fn spin_about_the_middle_axis_turns_over_again_and_again() {
    let brick = |angular: &str, solver: &str| {
        let body = format!(
            "element = \"linear\"\ngenerate = {{ shape = \"box\", size = [1.2, 0.6, 0.3], cells = [8, 4, 2], split = 6 }}\n\
             material = {{ model = \"arap\", young = 1e6 }}\nvelocity = {{ angular = {angular} }}"
        );
        scene("step = \"1/30\"", solver, &body)
    };
    let mut middle = brick("[0.05, 6, 0.05]", CONSTRAINED);
    let first = momenta(&middle.objective.mass, &middle.state.x, &middle.state.v).angular;
    let (turned, _) = turns(&mut middle, 1, 360);
    let last = momenta(&middle.objective.mass, &middle.state.x, &middle.state.v).angular;
    let (_, third) = turns(&mut brick("[0.05, 0.05, 6]", CONSTRAINED), 2, 360);
    println!("middle axis: {turned} turns in 12 s; third axis: cosine {third:.3} at the least");
    assert!(turned >= 3, "{turned} turns");
    assert!(third > 0.95, "{third}");
    assert!(length(minus(first, last)) < 1e-9 * length(first));
}

#[test]
fn damping_takes_the_vibration_at_its_rate_and_leaves_the_spin() {
    let Some(folder) = papers() else { return };
    let mesh = folder.join("gpd_hippo.mesh");
    for rate in [0.1, 0.2, 0.5, 1.0] {
        let body = format!(
            "mesh = {mesh:?}\nmaterial = {ARAP}\nvelocity = {{ angular = [0, 1, 0] }}\ncontrol = {{ damping = {rate} }}"
        );
        let mut simulation = scene("step = \"1/30\"", CONSTRAINED, &body);
        // Squeezed into a box \[Kee2021, Fig. 5\].
        place(&mut simulation, |x| [x[0].clamp(-0.4, 0.6), x[1].clamp(-0.3, 0.25), x[2].clamp(-0.15, 0.15)]);
        simulation.conserve();
        let start = simulation.ledger.accounts[0].angular;
        let (mut excess, mut iterations) = (vec![], 0);
        for _ in 0..120 {
            let m = simulation.advance().unwrap();
            iterations += m.iterations;
            assert!(length(minus(start, m.angular)) < 1e-9 * length(start));
            // K with the moments of inertia of the moment.
            let floor = rigid_energy(&simulation);
            excess.push((m.time, m.kinetic + m.value.elastic - floor));
        }
        let worst = excess.windows(60).map(|w| {
            let ratio = w[59].1 / w[0].1;
            let wanted = (-rate * (w[59].0 - w[0].0)).exp();
            (ratio / wanted - 1.0).abs()
        });
        let worst = worst.fold(0.0, f64::max);
        println!(
            "γ = {rate}: H − K off its exponential by {:.2} %, {:.1} iterations a frame",
            100.0 * worst,
            iterations as f64 / 120.0
        );
        assert!(worst < 0.05, "γ = {rate}: {worst}");
    }
}

/// ½|P|²/m + ½ L·I⁻¹L of all vertices together.
fn rigid_energy(simulation: &Simulation) -> f64 {
    let (mass, state) = (&simulation.objective.mass, &simulation.state);
    let total: f64 = mass.iter().sum();
    let m = momenta(mass, &state.x, &state.v);
    let centre = m.first.map(|c| c / total);
    let relative: Vec<Vec4> = state.x.iter().map(|x| Vec4::new(minus(x.xyz(), centre))).collect();
    let spin = momenta(mass, &relative, &state.v).angular;
    // I = Σ m (r² − r rᵀ), and ω from I ω = L by Cramer's rule.
    let mut tensor = [[0.0; 3]; 3];
    for (m, r) in mass.iter().zip(&relative) {
        for i in 0..3 {
            for j in 0..3 {
                let own = if i == j { r.0[0] * r.0[0] + r.0[1] * r.0[1] + r.0[2] * r.0[2] } else { 0.0 };
                tensor[i][j] += m * (own - r.0[i] * r.0[j]);
            }
        }
    }
    let omega = elements::math::dense::solve(&tensor, &spin);
    let turning: f64 = (0..3).map(|k| 0.5 * omega[k] * spin[k]).sum();
    0.5 * m.linear.iter().map(|p| p * p).sum::<f64>() / total + turning
}

/// The trampoline of `configs/` with a solver, and the peaks of |P| along y in each half period.
fn swings(set: &[&str], steps: usize) -> Vec<f64> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/trampoline.toml");
    let mut overrides = Overrides { frames: Some(steps as u64), ..Overrides::default() };
    let common = ["time.step=\"1/30\"", "time.substeps=1", "time.integrator=\"implicit-euler\""];
    overrides.set = common.iter().chain(set).map(|s| s.to_string()).collect();
    let loaded = config::load(&path, &overrides).unwrap();
    let (mut simulation, _) = Simulation::new(&loaded.scene, &Cache::disabled()).unwrap();
    let (mut peaks, mut peak, mut last) = (vec![], 0.0f64, 1.0);
    for _ in 0..steps {
        let y = simulation.advance().unwrap().linear[1];
        if y * last < 0.0 {
            peaks.push(std::mem::take(&mut peak));
        }
        (peak, last) = (peak.max(y.abs()), y);
    }
    peaks
}

#[test]
#[ignore = "twenty seconds"]
fn a_trampoline_swings_on_for_twenty_periods() {
    let kept =
        swings(&["solver.kind=\"constrained-pd\"", "solver.tolerance=1e-5", "solver.iterations=60"], 440);
    let lost = swings(&["solver.kind=\"pd\"", "solver.iterations=10"], 100);
    // Means over four half periods: frames do not hit the peaks.
    let ratio = |peaks: &[f64], half: usize| {
        peaks[half - 4..half].iter().sum::<f64>() / peaks[..4].iter().sum::<f64>()
    };
    let (kept_ratio, lost_ratio) = (ratio(&kept, 40), ratio(&lost, lost.len()));
    println!(
        "constrained-pd: {:.1} % after 20 periods; pd: {:.1} % after {}",
        100.0 * kept_ratio,
        100.0 * lost_ratio,
        lost.len() / 2
    );
    assert!(kept_ratio > 0.9, "{kept_ratio}");
    assert!(lost_ratio < 0.05, "{lost_ratio}");
}

#[test]
fn bodies_in_free_fall_keep_their_parabola_their_spin_and_their_energy() {
    let mut simulation = simulation(&format!(
        r#"
        [time]
        step = "1/30"
        [solver]
        {CONSTRAINED}
        [[body]]
        element = "linear"
        generate = {{ shape = "sphere", radius = 0.5, cells = 4 }}
        material = {ARAP}
        velocity = {{ linear = [1, 3, 0], angular = [1, 2, 3] }}
        deform = {{ stretch = [1.2, 1, 1] }}
        [[body]]
        element = "linear"
        generate = {{ shape = "box", size = [1, 0.5, 1], cells = [4, 3, 4] }}
        transform = {{ translate = [0, 0, 5] }}
        material = {ARAP}
        velocity = {{ linear = [0, 5, 0], angular = [3, 0, 0] }}
        "#
    ));
    let start = simulation.ledger.accounts.clone();
    let mass: f64 = simulation.objective.mass.iter().sum();
    let total = |m: &StepMetrics| m.kinetic + m.value.elastic + m.potential;
    let mut last = simulation.advance().unwrap();
    let (first, mut drift) = (total(&last), 0.0f64);
    for _ in 1..60 {
        last = simulation.advance().unwrap();
        drift = drift.max((total(&last) / first - 1.0).abs());
    }
    let fall = last.linear[1] - start[0].linear[1] - start[1].linear[1] + mass * 9.81 * 2.0;
    println!("H with gravity within {drift:.1e}, momentum off by {fall:.1e} of {:.1e}", mass * 9.81 * 2.0);
    assert!(fall.abs() < 1e-9 * mass * 9.81 * 2.0);
    for (before, after) in start.iter().zip(&simulation.ledger.accounts) {
        assert!(length(minus(before.angular, after.angular)) < 1e-9 * length(before.angular));
    }
    assert!(drift < 1e-3, "{drift:e}");
}

#[test]
fn a_held_beam_swings_without_loss() {
    for kind in ["\"hard\"", "{ soft = 1e8 }"] {
        let mut simulation = simulation(&format!(
            r#"
            [time]
            step = "1/30"
            [solver]
            {CONSTRAINED}
            [[body]]
            element = "linear"
            generate = {{ shape = "beam", size = [2, 0.4, 0.4], cells = [20, 4, 4] }}
            material = {{ model = "arap", young = 1e6 }}
            {HELD}
            kind = {kind}
            "#
        ));
        let (mut highest, mut lowest) = (vec![], vec![]);
        let mut energies = vec![];
        for _ in 0..300 {
            let m = simulation.advance().unwrap();
            highest.push(m.potential);
            lowest.push(m.potential);
            energies.push(m.kinetic + m.value.elastic + m.potential);
        }
        let drift = energies.iter().map(|e| (e - energies[0]).abs()).fold(0.0, f64::max);
        let (first, last) = (span(&highest[..100]), span(&lowest[200..]));
        let kept = (last[1] - last[0]) / (first[1] - first[0]);
        println!("{kind}: H within {drift:.1e} J, swing {:.0} % of the first", 100.0 * kept);
        assert!(kept > 0.9 && drift < 1e-3 * (first[1] - first[0]), "{kept} {drift:e}");
    }
}

#[test]
fn a_neo_hookean_cube_keeps_its_energy_for_a_thousand_frames() {
    let material = "{ model = \"neo-hookean\", young = 1e5, poisson = 0.4 }";
    let mut simulation = cube("step = \"1/30\"", CONSTRAINED, material, SPIN);
    let run = course(&mut simulation, 1000);
    let [low, high] = span(&run.elastic[900..]);
    println!(
        "H within {:.1e}, L within {:.1e}, elastic {low:.0} to {high:.0} J at the end, {:.1} iterations, det F ≥ {:.2}",
        run.energy, run.angular, run.iterations, run.last.volumes.0
    );
    assert!(run.energy < 1e-3 && run.angular < 1e-6 && high > 1.05 * low);
}

#[test]
fn stiffness_that_changes_does_work() {
    let body = format!(
        "element = \"linear\"\ngenerate = {{ shape = \"box\", size = [1, 1, 1], cells = [3, 3, 3] }}\nmaterial = {ARAP}\n\
         deform = {{ stretch = [1, 1.3, 1] }}\nvelocity = {{ angular = [0, 3, 0] }}\n\
         stiffness_scale = {{ keys = [{{ time = 0.34, value = 1 }}, {{ time = 0.35, value = 2 }}] }}"
    );
    let mut simulation = scene("step = \"1/30\"", CONSTRAINED, &body);
    for _ in 0..10 {
        simulation.advance().unwrap();
    }
    // At a standing shape twice the stiffness has twice the energy.
    let before = simulation.ledger.accounts[0];
    let m = simulation.advance().unwrap();
    let after = simulation.ledger.accounts[0];
    assert!(((after.energy - before.energy) / before.stored - 1.0).abs() < 1e-12);
    assert!(((m.kinetic + m.value.elastic) / after.energy - 1.0).abs() < 1e-3);
    assert!(length(minus(before.angular, after.angular)) < 1e-12 * length(before.angular));
}

#[test]
fn a_beam_that_was_moved_by_its_pins_swings_on_without_loss() {
    let body = format!(
        r#"
        element = "linear"
        generate = {{ shape = "beam", size = [2, 0.4, 0.4], cells = [10, 2, 2] }}
        material = {{ model = "arap", young = 1e6 }}
        {HELD}
        motion = {{ translate = [0, 1, 0], until = 0.5 }}
        "#
    );
    let mut simulation = scene("step = \"1/30\"", CONSTRAINED, &body);
    let mut energies = vec![];
    for step in 0..120 {
        let m = simulation.advance().unwrap();
        assert!(step >= 14 || m.iterations == 60, "step {step} ended after {} iterations", m.iterations);
        energies.push(m.kinetic + m.value.elastic);
    }
    let drift = energies[20..].iter().map(|e| (e / energies[20] - 1.0).abs()).fold(0.0, f64::max);
    println!("{:.1} J after the move, within {drift:.1e} from then on", energies[20]);
    assert!(energies[20] > 1.0 && drift < 1e-3, "{} {drift:e}", energies[20]);
}
