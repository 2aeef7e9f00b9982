"""A user's scene for check_addon.py: soft bodies, a sheet, a rope, obstacles, and things that have nothing to do with them."""

import math

import bpy

FRAMES = 24


def colour(name, rgb):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*rgb, 1)
    return material


def paint(thing, name, weight):
    """A vertex group with a weight for each vertex by its place in the object."""
    group = thing.vertex_groups.new(name=name)
    for vertex in thing.data.vertices:
        group.add([vertex.index], max(0.0, min(1.0, weight(vertex.co))), "REPLACE")


def armature(name, place, tip, angle):
    """An armature with one upright bone that turns about the rig's axis -Y over the scene."""
    bpy.ops.object.armature_add(location=place)
    rig = bpy.context.object
    rig.name = name
    rig.rotation_euler = tip
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, turned in ((1, 0.0), (FRAMES, angle)):
        bone.rotation_euler.z = turned
        bone.keyframe_insert("rotation_euler", frame=frame)
    return rig


def rigged(thing, rig):
    """Lets a bone carry an object as a whole."""
    group = thing.vertex_groups.new(name=rig.pose.bones[0].name)
    group.add(list(range(len(thing.data.vertices))), 1.0, "REPLACE")
    modifier = thing.modifiers.new("Rig", "ARMATURE")
    modifier.object = rig


def soft_bodies():
    """A ball with painted goals, a mirrored parent and a subdivision; and a block that an armature carries."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.4, location=(0, 0, 1.3), rotation=(0.3, 0.5, 0.1))
    ball = bpy.context.object
    ball.name, ball.scale = "Ball ä/1", (1.0, 1.2, -0.8)
    bpy.ops.mesh.uv_texture_add()
    for material in (colour("red", (0.7, 0.1, 0.1)), colour("white", (0.9, 0.9, 0.9))):
        ball.data.materials.append(material)
    for face in ball.data.polygons:
        face.material_index = face.index % 2
    paint(ball, "hold", lambda co: (-co.z - 0.1) * 3)
    ball.modifiers.new("Smooth", "SUBSURF").levels = 1
    own = ball.pliant
    own.role, own.material, own.cells = "SOFT", "FLESH", 1500
    own.goal_group, own.goal_stiffness = "hold", 400.0
    bpy.ops.mesh.primitive_cube_add(size=0.5, location=(1.4, 0, 1.0))
    block = bpy.context.object
    block.name = "Block"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=3)
    bpy.ops.object.mode_set(mode="OBJECT")
    block.data.materials.append(colour("green", (0.1, 0.5, 0.2)))
    paint(block, "goal", lambda co: 0.5 - 2 * co.x)
    rigged(block, armature("Carrier", (1.4, 0, 0.4), (0, 0, 0), 0.9))
    own = block.pliant
    own.role, own.material, own.cells = "SOFT", "FLESH", 3000
    own.goal_group, own.goal_stiffness = "goal", 200.0
    return ball, block


def thin_bodies():
    """A sheet with a corner on a handle and a rope of a curve with a thickness."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10, size=0.8, location=(-1.5, 0, 1.5))
    flag = bpy.context.object
    flag.name = "Flag"
    flag.data.materials.append(colour("blue", (0.1, 0.2, 0.7)))
    # A vertex in no face stays where it is.
    flag.data.vertices.add(1)
    flag.data.vertices[-1].co = (0, 0, 0.5)
    paint(flag, "corner", lambda co: float(co.x < -0.39 and co.y < -0.2))
    bpy.ops.object.empty_add(location=(-1.5, 0, 1.5))
    handle = bpy.context.object
    handle.name = "Handle"
    for frame, height in ((1, 1.5), (FRAMES, 1.7)):
        handle.location.z = height
        handle.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()
    flag.parent = handle
    flag.matrix_parent_inverse = handle.matrix_world.inverted()
    own = flag.pliant
    own.role, own.pin_group, own.sheet_young = "SHEET", "corner", 1e5
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.02
    spline = curve.splines.new("POLY")
    spline.points.add(12)
    for k, point in enumerate(spline.points):
        point.co = (0.08 * k, 0.0, 0.0, 1.0)
    rope = bpy.data.objects.new("Rope", curve)
    rope.location = (-0.5, 1.0, 1.5)
    bpy.context.scene.collection.objects.link(rope)
    rope.pliant.role, rope.pliant.ends, rope.pliant.rope_young = "ROPE", "BOTH", 1e5
    return flag, rope


def obstacles():
    """A bar that an armature swings against the ball, and a step that stands still."""
    bpy.ops.mesh.primitive_cylinder_add(radius=0.08, depth=1.4, vertices=16, location=(0, -0.9, 1.1), rotation=(0, math.pi / 2, 0))
    bar = bpy.context.object
    bar.name = "Bar"
    rigged(bar, armature("Arm", (0, -0.9, -0.4), (0, 0, -math.pi / 2), 0.5))
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(0.4, 0.4, 0.15))
    step = bpy.context.object
    step.name = "Step"
    for thing in (bar, step):
        thing.pliant.role = "OBSTACLE"
    return bar, step


def build():
    """The whole scene; also things that have nothing to do with it."""
    scene = bpy.context.scene
    bpy.data.objects["Cube"].location = (0, 5, 0)
    scene.frame_start, scene.frame_end, scene.frame_current = 1, FRAMES, 7
    bodies = [*soft_bodies(), *thin_bodies()]
    obstacles()
    own = scene.pliant
    own.has_floor, own.floor = True, 0.0
    own.has_vtu = True
    return bodies
