"""Simulate, Resume, Cancel, Load, Clear. In the background, and where scripts call them, they return when all is done."""

import bpy

from . import result, scene
from .files import Trouble
from .job import Job

# The time between two looks at the program in s.
TICK = 0.25


def is_waiting():
    """True where an operator returns only when all is done: there is no window that could go on."""
    return bpy.app.background


class State:
    """What runs, and what the panel shows of it."""

    job = None
    said = ""
    # The scene to which the run belongs, by name.
    scene = ""

    @classmethod
    def part(cls):
        """How much of the run is done, from 0 to 1."""
        return min(1.0, cls.job.done() / cls.job.frames) if cls.job else 0.0


class Runner:
    """What simulating anew and going on have in common."""

    bl_options = {"REGISTER", "UNDO"}
    resume = False

    @classmethod
    def poll(cls, _context):
        """One run at a time."""
        return State.job is None

    def begin(self, context):
        """Writes the config and starts the program."""
        directory, _ = scene.write(context)
        own = context.scene
        State.job, State.said, State.scene = Job(directory, own.frame_end - own.frame_start, self.resume), "", own.name

    def end(self, context):
        """Shows what the program has made, and tells of it."""
        job, State.job = State.job, None
        is_whole = job.finish()
        if context.scene.name != State.scene:
            raise Trouble(f"the run of scene '{State.scene}' is done: go there and press Load Run")
        count, frames = result.load(context)
        State.said = f"{frames - 1} frames on {count} object{'s' if count != 1 else ''}"
        warnings = job.messages("WARN")
        if not is_whole:
            self.report({"WARNING"}, f"Stopped after {State.said}: Resume goes on")
        for warning in warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, State.said)

    def fail(self, trouble):
        """Tells in Blender's own place for messages what went wrong."""
        if State.job:
            State.job.kill()
        State.job, State.said = None, str(trouble).split("\n")[0]
        self.report({"ERROR"}, str(trouble))
        return {"CANCELLED"}

    def execute(self, context):
        """Simulates, and returns at the end."""
        try:
            self.begin(context)
            State.job.process.wait()
            self.end(context)
        except Trouble as trouble:
            return self.fail(trouble)
        return {"FINISHED"}

    def invoke(self, context, _event):
        """Simulates while Blender goes on."""
        if is_waiting():
            return self.execute(context)
        try:
            self.begin(context)
        except Trouble as trouble:
            return self.fail(trouble)
        window = context.window_manager
        window.progress_begin(0, 100)
        self.timer = window.event_timer_add(TICK, window=context.window)
        window.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        """Looks at the program now and then."""
        if event.type != "TIMER" or (State.job and not State.job.is_over()):
            if event.type == "TIMER":
                context.window_manager.progress_update(100 * State.part())
                redraw(context)
            return {"PASS_THROUGH"}
        self.forget(context)
        if State.job is None:
            return {"CANCELLED"}
        try:
            self.end(context)
        except Trouble as trouble:
            return self.fail(trouble)
        return {"FINISHED"}

    def cancel(self, context):
        """Blender ends or opens another file."""
        self.forget(context)
        if State.job:
            State.job.cancel()
            State.job = None

    def forget(self, context):
        """Ends the looking."""
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        redraw(context)


def redraw(context):
    """Draws the properties anew, which have the progress."""
    for area in context.screen.areas if context.screen else []:
        if area.type == "PROPERTIES":
            area.tag_redraw()


class PLIANT_OT_simulate(Runner, bpy.types.Operator):
    """Write the scene and simulate it from the first frame on, in place of an earlier run"""

    bl_idname, bl_label = "pliant.simulate", "Simulate"


class PLIANT_OT_resume(Runner, bpy.types.Operator):
    """Go on with a run that was stopped, or that the scene's last frame has left behind"""

    bl_idname, bl_label = "pliant.resume", "Resume"
    resume = True


class PLIANT_OT_cancel(bpy.types.Operator):
    """Stop after the frame that is being simulated; what is there is shown, and Resume goes on from it"""

    bl_idname, bl_label = "pliant.cancel", "Cancel"

    @classmethod
    def poll(cls, _context):
        """There must be something to stop."""
        return State.job is not None

    def execute(self, _context):
        """Tells the program to stop; the operator that runs it sees its end."""
        State.job.cancel()
        return {"FINISHED"}


class Simple:
    """An operator that does one thing at once."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        """Does it, and tells what was done or why not."""
        try:
            self.report({"INFO"}, self.act(context))
        except Trouble as trouble:
            self.report({"ERROR"}, str(trouble))
            return {"CANCELLED"}
        return {"FINISHED"}


class PLIANT_OT_write(Simple, bpy.types.Operator):
    """Write the config and its meshes without simulating, for the command line"""

    bl_idname, bl_label = "pliant.write", "Write Config"

    def act(self, context):
        """Writes it."""
        directory, things = scene.write(context)
        return f"{directory / scene.CONFIG}: {len(things)} objects"


class PLIANT_OT_load(Simple, bpy.types.Operator):
    """Show the run beside the .blend file on its objects, as the command line may have made it"""

    bl_idname, bl_label = "pliant.load", "Load Run"

    def act(self, context):
        """Shows it."""
        count, frames = result.load(context)
        return f"{frames - 1} frames on {count} object{'s' if count != 1 else ''}"


class PLIANT_OT_clear(Simple, bpy.types.Operator):
    """Take the motion away from all objects; files stay"""

    bl_idname, bl_label = "pliant.clear", "Clear"

    def act(self, context):
        """Takes it away."""
        count = result.clear(context.scene)
        return f"{count} object{'s are' if count != 1 else ' is'} as before"


CLASSES = (PLIANT_OT_simulate, PLIANT_OT_resume, PLIANT_OT_cancel, PLIANT_OT_write, PLIANT_OT_load, PLIANT_OT_clear)


def register():
    """Adds the operators."""
    for own in CLASSES:
        bpy.utils.register_class(own)


def unregister():
    """Takes them away, and stops what runs."""
    if State.job:
        State.job.cancel()
        State.job = None
    for own in reversed(CLASSES):
        bpy.utils.unregister_class(own)
