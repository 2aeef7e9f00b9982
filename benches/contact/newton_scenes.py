"""The scenes s1, s2 and s3 of this folder with newton (pip's `newton` 1.8 and `warp-lang`) on the processor.

python newton_scenes.py SCENE [--iterations N] [--frames N] [--gap M] prints a line of JSON: milliseconds and height of the centre of
mass in every frame, the depth to which vertices are inside the obstacle (negative: the least gap), and whether surfaces
intersect, which `ipctk` tells where it is installed.

Sizes, masses, moduli and time steps are those of the TOML files. Its solver is vertex block descent in single precision with as
many sweeps as asked for, 10 unless told, and contact with itself by OGC. Distances of contact are those at which the barrier of
the TOML scenes begins. Contact has a stiffness in N/m for each vertex, which was chosen and not matched: 1e5 for boxes, of which a
vertex on the floor bears 81 N in s1, and 300 for the cloth, since with 5 it sank 52 mm into the ball. Others sink in by other amounts.

In a step a vertex moves by at most 0.85 times the distance within which newton looks for contact: those 2.4 mm and GAP. With a
small one what falls is held back: at 2.4 mm the box of s1 falls by 4 mm a frame. Boxes have 60 mm, with which they fall as ours do
until they land, and sink in by up to 14 mm. The cloth has 20 mm and still falls too slowly; with 60 mm its run of 60 frames did not
end within a minute.
"""

import argparse
import json
import time

import newton
import numpy as np
import warp as wp

STEP = 1.0 / 60.0
GAPS = {"s1": 0.06, "s2": 0.06, "s3": 0.02}
# Five tets of a cube by the corners x + 2 y + 4 z, and those of its mirror image: neighbours alternate.
SPLITS = (
    ((0, 1, 2, 4), (3, 2, 1, 7), (5, 4, 7, 1), (6, 7, 4, 2), (1, 2, 4, 7)),
    ((1, 0, 5, 3), (2, 3, 6, 0), (4, 5, 0, 6), (7, 6, 3, 5), (0, 3, 5, 6)),
)


def box(size, cells):
    """Vertices and tets of a cube from the origin."""
    n = cells + 1
    grid = np.arange(n) * (size / cells)
    z, y, x = np.meshgrid(grid, grid, grid, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    tets = []
    for k, j, i in np.ndindex(cells, cells, cells):
        corners = [(i + (c & 1)) + n * ((j + (c >> 1 & 1)) + n * (k + (c >> 2))) for c in range(8)]
        for tet in SPLITS[(i + j + k) % 2]:
            a, b, c, d = (corners[t] for t in tet)
            volume = np.linalg.det(points[[b, c, d]] - points[a])
            tets.append((a, b, c, d) if volume > 0 else (a, c, b, d))
    return points, np.array(tets)


def cloth(size, cells):
    """Vertices and triangles of a square in the plane z = 0."""
    n = cells + 1
    grid = np.arange(n) * (size / cells)
    y, x = np.meshgrid(grid, grid, indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1)
    corner = np.array([[i + n * j, i + 1 + n * j, i + n * (j + 1), i + 1 + n * (j + 1)] for j in range(cells) for i in range(cells)])
    return points, np.concatenate([corner[:, [0, 1, 3]], corner[:, [0, 3, 2]]])


def add_box(builder, height, cells):
    young, poisson = 1e5, 0.4
    points, tets = box(1.0, cells)
    builder.add_soft_mesh(
        pos=wp.vec3(0.0, 0.0, height), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*p) for p in points], indices=tets.ravel().tolist(), density=1000.0,
        k_mu=young / (2 * (1 + poisson)), k_lambda=young * poisson / ((1 + poisson) * (1 - 2 * poisson)), k_damp=0.0,
        particle_radius=0.002,
    )


def add_cloth(builder):
    stretch, poisson, rigidity, cell = 1000.0, 0.3, 1e-4, 0.02
    points, triangles = cloth(1.0, 50)
    builder.add_cloth_mesh(
        pos=wp.vec3(0.0, 0.0, 0.32), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*p) for p in points], indices=triangles.ravel().tolist(), density=0.25,
        tri_ke=stretch / (2 * (1 + poisson)), tri_ka=stretch * poisson / (1 - poisson**2), tri_kd=0.0,
        edge_ke=rigidity / cell, edge_kd=0.0, particle_radius=0.002,
    )


def scene(name):
    """The model, and a function of vertices that tells how deep they are in the obstacle."""
    builder = newton.ModelBuilder()
    friction = 0.3 if name == "s3" else 0.0
    stiffness = 300.0 if name == "s3" else 1e5
    config = builder.default_shape_cfg.copy()
    config.ke, config.kd, config.mu = stiffness, 0.0, friction
    if name == "s3":
        add_cloth(builder)
        center = np.array([0.5, 0.5, 0.0])
        builder.add_shape_sphere(-1, xform=wp.transform(wp.vec3(*center), wp.quat_identity()), radius=0.3, cfg=config)
        depth = lambda points: 0.3 - np.linalg.norm(points - center, axis=1).min()
    else:
        builder.add_ground_plane(cfg=config)
        heights = [0.2] if name == "s1" else [0.2, 1.4]
        for height in heights:
            add_box(builder, height, 10 if name == "s1" else 8)
        depth = lambda points: -points[:, 2].min()
    builder.color(include_bending=name == "s3")
    model = builder.finalize()
    model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_mu = stiffness, 0.0, friction
    return model, depth


def intersects(points, model):
    """Whether triangles intersect; None without ipctk."""
    try:
        import ipctk
    except ImportError:
        return None
    triangles = model.tri_indices.numpy()
    mesh = ipctk.CollisionMesh(points, ipctk.edges(triangles), triangles)
    return bool(ipctk.has_intersections(mesh, points))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", choices=["s1", "s2", "s3"])
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--gap", type=float)
    arguments = parser.parse_args()
    wp.config.quiet = True
    wp.set_device("cpu")
    model, depth = scene(arguments.scene)
    solver = newton.solvers.SolverVBD(
        model, iterations=arguments.iterations, particle_enable_self_contact=True,
        particle_self_contact_margin=0.0024, particle_self_contact_gap=arguments.gap or GAPS[arguments.scene],
    )
    states, control = [model.state(), model.state()], model.control()
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()

    def advance(first, second):
        first.clear_forces()
        pipeline.collide(first, contacts)
        solver.step(first, second, control, contacts, STEP)

    # Kernels are compiled on first use, by steps that are then undone.
    start = model.particle_q.numpy().copy()
    advance(*states)
    states = [model.state(), model.state()]
    times, centers, deepest, meets = [], [], -np.inf, False
    mass = model.particle_mass.numpy()
    for _ in range(arguments.frames):
        before = time.perf_counter()
        advance(*states)
        wp.synchronize()
        times.append(1e3 * (time.perf_counter() - before))
        states.reverse()
        points = states[0].particle_q.numpy().astype(float)
        centers.append(float(mass @ points[:, 2] / mass.sum()))
        deepest = max(deepest, float(depth(points)))
        meets = meets if meets is None else intersects(points, model) if not meets else True
    print(json.dumps({"ms": times, "mass": float(mass.sum()), "vertices": len(start), "tets": model.tet_count,
                      "centers": centers, "deepest": deepest, "intersects": meets}))


if __name__ == "__main__":
    main()
