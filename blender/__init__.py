"""Pliant in Blender: objects become soft bodies, sheets, ropes and obstacles, and move as the program pliant says.

The way of the data: `properties` hold what the user says, `scene` writes it as a config with meshes, `job` runs the program on
it, and `result` puts the motion on the user's own objects. `operators` and `panels` are the buttons.
"""

from . import operators, panels, properties

PARTS = (properties, operators, panels)


def register():
    """Adds the panels, the operators and their properties to Blender."""
    for part in PARTS:
        part.register()


def unregister():
    """Takes them away; a simulation that runs is ended as by Cancel."""
    for part in reversed(PARTS):
        part.unregister()
