"""What the user says of an object and of the scene, kept in the .blend file."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

from . import materials

ROLES = [
    ("NONE", "None", "Pliant leaves this object alone"),
    ("SOFT", "Soft body", "A closed surface, filled with tets; a body of jelly, rubber or flesh"),
    ("SHEET", "Sheet", "A surface by itself: cloth, paper, skin"),
    ("ROPE", "Rope", "The edges of a mesh without faces, or a curve of poly splines"),
    ("OBSTACLE", "Obstacle", "Others touch it; it stands still, or moves as it is animated"),
]
ENDS = [
    ("NONE", "None", "Both ends are free"),
    ("FIRST", "First", "The first point of each spline is held"),
    ("LAST", "Last", "The last point of each spline is held"),
    ("BOTH", "Both", "The first and the last point of each spline are held"),
]
SOLVERS = [
    ("quasi-newton", "Quasi-Newton", "Fast and robust: the default"),
    ("newton", "Newton", "For stiff ropes, and to check others"),
    ("vbd", "Vertex block descent", "Rough and fast on soft bodies"),
    ("admm", "ADMM", "Ropes that keep their length exactly"),
]


# True while a material fills in its values one by one.
filling = [False]


def take_preset(own, _context):
    """Fills in the values of a material that was chosen."""
    if own.material in materials.SOFT:
        filling[0] = True
        try:
            own.young, own.poisson, own.density = materials.SOFT[own.material][2:]
        finally:
            filling[0] = False


def tell_custom(own, _context):
    """Values that are not those of the material make it the user's own."""
    if not filling[0] and not materials.is_preset(own.material, (own.young, own.poisson, own.density)):
        own.material = materials.CUSTOM


class PliantObject(bpy.types.PropertyGroup):
    """What an object is."""

    role: EnumProperty(name="Type", items=ROLES, description="What this object is to pliant")
    body: StringProperty(options={"HIDDEN"}, description="The name that the config has for it")
    material: EnumProperty(name="Material", items=materials.items(), default="FLESH", update=take_preset)
    young: FloatProperty(
        name="Stiffness", default=2.6e4, min=1e-3, soft_max=1e8, precision=0, step=1000, update=tell_custom,
        description="Young's modulus in Pa: 1e4 is a firm gel, 1e6 rubber",
    )
    poisson: FloatProperty(
        name="Keeps volume", default=0.45, min=-0.9, max=0.495, precision=3, update=tell_custom,
        description="Poisson's ratio: 0.495 keeps its volume when squeezed, 0 does not grow wider",
    )
    density: FloatProperty(
        name="Density", default=1000.0, min=1e-3, soft_max=1e4, precision=0, update=tell_custom,
        description="Mass in kg per m³; water has 1000",
    )
    cells: IntProperty(
        name="Tets", default=4000, min=100, soft_max=100000,
        description="About how many tets fill it: more follow details and take longer",
    )
    is_quadratic: BoolProperty(
        name="Quadratic tets", description="Tets that bend: thin parts sag as they should, for about ten times the work",
    )
    sheet_young: FloatProperty(
        name="Stiffness", default=1e6, min=1e-3, soft_max=1e9, precision=0, step=1000,
        description="Young's modulus in Pa, against stretching",
    )
    sheet_density: FloatProperty(name="Density", default=300.0, min=1e-3, precision=0, description="Mass in kg per m³")
    thickness: FloatProperty(
        name="Thickness", default=0.001, min=1e-6, precision=4, unit="LENGTH",
        description="Thickness, which gives weight and stiffness and keeps others away",
    )
    bending: FloatProperty(
        name="Bending", default=1e-4, min=0.0, precision=6,
        description="Resistance to bending in N·m: 1e-6 is silk, 1e-4 cotton, 1e-2 felt; 0 is none",
    )
    rope_young: FloatProperty(
        name="Stiffness", default=1e7, min=1e-3, precision=0, step=1000, description="Young's modulus in Pa, against stretching",
    )
    rope_density: FloatProperty(name="Density", default=1000.0, min=1e-3, precision=0, description="Mass in kg per m³")
    radius: FloatProperty(
        name="Radius", default=0.005, min=1e-6, precision=4, unit="LENGTH", description="Radius of the rope",
    )
    damping: FloatProperty(
        name="Damping", default=0.0, min=0.0, soft_max=10.0,
        description="How fast motion dies away, per second; it slows falling too",
    )
    ends: EnumProperty(name="Held ends", items=ENDS, description="Which ends of a curve are held")
    pin_group: StringProperty(name="Pinned", description="Vertex group that is held exactly, where its weight is above 0.5")
    goal_group: StringProperty(name="Goal", description="Vertex group that springs hold, the more the greater its weight")
    goal_stiffness: FloatProperty(
        name="Goal stiffness", default=100.0, min=1e-6, precision=1,
        description="Stiffness in N/m of the spring at each vertex of weight 1",
    )
    is_following: BoolProperty(
        name="Follow animation", default=True,
        description="Pins and goals follow the object's own animation: its transform, shape keys, armature",
    )
    friction: FloatProperty(name="Friction", default=0.3, min=0.0, soft_max=1.0, description="Coefficient of friction")


class PliantScene(bpy.types.PropertyGroup):
    """How the scene is simulated. Frames, rate and gravity are Blender's own."""

    directory: StringProperty(
        name="Directory", subtype="DIR_PATH",
        description="Where the config, the meshes and the run go; if empty, beside the .blend file",
    )
    substeps: IntProperty(name="Steps per frame", default=4, min=1, soft_max=20, description="More are more lively and precise")
    solver: EnumProperty(name="Solver", items=SOLVERS)
    iterations: IntProperty(name="Iterations", default=40, min=1, description="Per step, at most")
    tolerance: FloatProperty(
        name="Tolerance", default=0.01, min=0.0, max=1.0, precision=4,
        description="A step is done when its forces are balanced to this part; 0: after all iterations",
    )
    has_contact: BoolProperty(name="Contact", default=True, description="Objects touch each other and themselves")
    distance: FloatProperty(
        name="Distance", default=0.0, min=0.0, precision=4, unit="LENGTH",
        description="The gap below which things repel each other; 0: a thousandth of all bodies' size. More is easier to solve",
    )
    may_overlap: BoolProperty(
        name="Start overlapping", description="What intersects at the start passes through each other until it is apart",
    )
    has_floor: BoolProperty(name="Floor", default=False, description="A level floor without end")
    floor: FloatProperty(name="Height", unit="LENGTH", description="The height of the floor")
    floor_friction: FloatProperty(name="Friction", default=0.5, min=0.0, soft_max=1.0, description="Friction of the floor")
    has_vtu: BoolProperty(
        name="Frames for ParaView", description="Write VTU frames too, with stresses, for ParaView and pliant preview",
    )


class PliantPreferences(bpy.types.AddonPreferences):
    """Where the program is."""

    bl_idname = __package__

    program: StringProperty(
        name="Program", subtype="FILE_PATH", description="The program pliant; if empty, the one on the path",
    )

    def draw(self, _context):
        """Shows the one setting."""
        self.layout.prop(self, "program")


CLASSES = (PliantObject, PliantScene, PliantPreferences)


def register():
    """Gives objects and scenes their properties."""
    for own in CLASSES:
        bpy.utils.register_class(own)
    bpy.types.Object.pliant = PointerProperty(type=PliantObject)
    bpy.types.Scene.pliant = PointerProperty(type=PliantScene)


def unregister():
    """Takes them away."""
    del bpy.types.Scene.pliant, bpy.types.Object.pliant
    for own in reversed(CLASSES):
        bpy.utils.unregister_class(own)
