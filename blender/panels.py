"""The panels: of an object under Physics, of the simulation in the properties of the scene."""

import bpy

from .operators import State


class PLIANT_PT_object(bpy.types.Panel):
    """What the object is to pliant."""

    bl_idname, bl_label = "PLIANT_PT_object", "Pliant"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "physics"

    @classmethod
    def poll(cls, context):
        """Objects with a shape."""
        return context.object is not None and context.object.type in {"MESH", "CURVE", "SURFACE", "FONT", "META"}

    def draw(self, context):
        """Shows the type, and what belongs to it."""
        layout, thing = self.layout, context.object
        own = thing.pliant
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(own, "role")
        if own.role == "NONE":
            return
        shown = {
            "SOFT": ("material", "young", "poisson", "density", "cells", "is_quadratic"),
            "SHEET": ("sheet_young", "bending", "thickness", "sheet_density"),
            "ROPE": ("rope_young", "radius", "rope_density"),
            "OBSTACLE": (),
        }[own.role]
        column = layout.column()
        for name in (*shown, *(("damping",) if own.role != "OBSTACLE" else ()), "friction"):
            column.prop(own, name)
        if own.role == "OBSTACLE":
            return
        column = layout.column(heading="Held")
        if thing.type == "CURVE":
            column.prop(own, "ends")
        else:
            column.prop_search(own, "pin_group", thing, "vertex_groups")
            column.prop_search(own, "goal_group", thing, "vertex_groups")
            if own.goal_group:
                column.prop(own, "goal_stiffness")
        if own.pin_group or own.goal_group or thing.type == "CURVE":
            column.prop(own, "is_following")


class Simulation:
    """The panel of the simulation, which stands in two places."""

    bl_label = "Pliant Simulation"
    bl_space_type, bl_region_type = "PROPERTIES", "WINDOW"

    def draw(self, context):
        """Shows settings and buttons."""
        layout, own = self.layout, context.scene.pliant
        layout.use_property_split, layout.use_property_decorate = True, False
        if State.job:
            done = State.job.done()
            text = f"Frame {done} of {State.job.frames}" if done else "Preparing"
            layout.progress(factor=State.part(), text="Stopping" if State.job.is_cancelled else text)
            layout.operator("pliant.cancel", icon="CANCEL")
        else:
            row = layout.row(align=True)
            row.operator("pliant.simulate", icon="PLAY")
            row.operator("pliant.resume", icon="FRAME_NEXT")
        if State.said:
            layout.label(text=State.said)
        column = layout.column()
        column.enabled = State.job is None
        column.prop(own, "directory")
        for name in ("substeps", "solver", "iterations", "tolerance", "has_contact", "distance", "may_overlap", "has_floor"):
            column.prop(own, name)
        if own.has_floor:
            column.prop(own, "floor")
            column.prop(own, "floor_friction")
        column.prop(own, "has_vtu")
        row = layout.row(align=True)
        for name in ("write", "load", "clear"):
            row.operator(f"pliant.{name}")


class PLIANT_PT_physics(Simulation, bpy.types.Panel):
    """The simulation below the object's panel."""

    bl_idname, bl_context = "PLIANT_PT_physics", "physics"
    bl_options = {"DEFAULT_CLOSED"}


class PLIANT_PT_scene(Simulation, bpy.types.Panel):
    """The simulation among the properties of the scene."""

    bl_idname, bl_context = "PLIANT_PT_scene", "scene"
    bl_options = {"DEFAULT_CLOSED"}


CLASSES = (PLIANT_PT_object, PLIANT_PT_physics, PLIANT_PT_scene)


def register():
    """Adds the panels."""
    for own in CLASSES:
        bpy.utils.register_class(own)


def unregister():
    """Takes them away."""
    for own in reversed(CLASSES):
        bpy.utils.unregister_class(own)
