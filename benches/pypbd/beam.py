"""The beam of `cargo bench --bench pypbd` with pyPBD: XPBD on FEM tets, 10 iterations a frame.

python beam.py MESH: a file with a line "v x y z" for each vertex and "t a b c d" for each tet, from 0. Prints the milliseconds
of each frame, and the height of the lowest vertex at the end.
"""

import sys
import time

import numpy as np
import pypbd as pbd

FRAMES, ITERATIONS = 20, 10
XPBD_FEM = 3

points, tets = [], []
with open(sys.argv[1]) as mesh:
    for line in mesh:
        kind, *numbers = line.split()
        if kind == "v":
            points.append(np.array([float(n) for n in numbers]))
        else:
            tets.extend(int(n) for n in numbers)

simulation = pbd.Simulation.getCurrent()
simulation.initDefault()
model = simulation.getModel()
body = model.addTetModel(points, tets, testMesh=False, generateCollisionObject=False)
particles = model.getParticles()
for i in range(len(points)):
    particles.setMass(i, 0.0 if points[i][0] < 1e-6 else 0.2)
model.addSolidConstraints(body, XPBD_FEM, 1e6, 0.3, 1.0, False, False)
pbd.TimeManager.getCurrent().setTimeStepSize(1.0 / 30.0)
step = simulation.getTimeStep()
step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, 1)
step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, ITERATIONS)
times = []
for _ in range(FRAMES):
    start = time.process_time()
    step.step(model)
    times.append(1e3 * (time.process_time() - start))
print(*times)
print(min(particles.getPosition(i)[1] for i in range(len(points))))
