"""Operators of the panel."""

import os

import bpy
from bpy.props import StringProperty

from . import background, path_preview, scene as scenes, submissions
from .callsheet import ENDED, CallsheetError, Client

REDRAW_SECONDS = 0.5
PREVIEW_TEXT = "Paths are the same at all compute locations: no storage location has this path."

progress = background.Progress()
report = {"missing": None, "paths": None}


def client_of(context):
    """Returns a client of the server in the preferences, or of the context of the command callsheet."""
    preferences = context.preferences.addons[__package__].preferences
    return Client(preferences.url or None, context=preferences.context or None)


def stop():
    """Ends threads and timers."""
    progress.stop()
    if bpy.app.timers.is_registered(redraw):
        bpy.app.timers.unregister(redraw)


def redraw():
    """Draws the panel again while a thread changes what it shows."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.tag_redraw()
    is_open = any(job["status"] not in ENDED for job in progress.jobs)
    return REDRAW_SECONDS if progress.is_active or (is_open and not progress.is_stopped) else None


def replace(collection, names):
    """Replaces the items of a collection, and keeps which of them are used."""
    used = {each.name for each in collection if getattr(each, "use", False)}
    collection.clear()
    for name in names:
        item = collection.add()
        item.name = name
        if hasattr(item, "use"):
            item.use = name in used


class CALLSHEET_OT_refresh(bpy.types.Operator):
    """Read farms, queues and products from the server, and cameras and view layers from the scene"""

    bl_idname = "callsheet.refresh"
    bl_label = "Refresh"

    def execute(self, context):
        settings = context.scene.callsheet
        replace(settings.cameras, scenes.cameras_of(context.scene))
        replace(settings.layers, scenes.layers_of(context.scene))
        try:
            client = client_of(context)
            farms = client.farms()
            known = [farm for farm in farms if settings.farm in (farm["name"], farm["id"])]
            queues = client.queues(known[0]["id"] if known else None)
            replace(settings.farms, [farm["name"] for farm in farms])
            replace(settings.queues, sorted({queue["name"] for queue in queues}))
            replace(settings.products, [product["name"] for product in client.products()])
        except (CallsheetError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class CALLSHEET_OT_check(bpy.types.Operator):
    """Find files that the scene uses and that do not exist, and show the paths at other compute locations"""

    bl_idname = "callsheet.check"
    bl_label = "Check files and paths"

    def execute(self, context):
        report["missing"] = scenes.missing_files(scenes.used_files(bpy.data.filepath))
        report["paths"] = None
        try:
            storage = client_of(context).request("GET", "/storage-locations")
        except (CallsheetError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        shown = [("Scene", bpy.data.filepath), ("Output", scenes.output_of(context.scene))]
        report["paths"] = [
            (title, path_preview.path_preview(path, storage) or [("", PREVIEW_TEXT)]) for title, path in shown if path
        ]
        if report["missing"]:
            self.report({"WARNING"}, f"Missing files: {len(report['missing'])}")
        return {"FINISHED"}


class CALLSHEET_OT_submit(bpy.types.Operator):
    """Submit the scene to the farm"""

    bl_idname = "callsheet.submit"
    bl_label = "Submit"

    @classmethod
    def poll(cls, _context):
        return not progress.is_active

    def execute(self, context):
        scene = context.scene
        problems = scenes.problems_of(scene, scene.callsheet.save_mode)
        if problems:
            self.report({"ERROR"}, " ".join(problems))
            return {"CANCELLED"}
        report["missing"] = scenes.missing_files(scenes.used_files(bpy.data.filepath))
        try:
            client = client_of(context)
            file = submissions.scene_file(scene.callsheet.save_mode, submissions.copy_suffix())
        except (CallsheetError, OSError, RuntimeError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        jobs = submissions.submissions_of(scene, file)
        copy = file if scene.callsheet.save_mode == "COPY" else None
        follow = background.follow_jobs(client, ENDED)
        progress.start(background.submit_all(client, jobs, copy), None if bpy.app.background else follow)
        if not bpy.app.background:
            if not bpy.app.timers.is_registered(redraw):
                bpy.app.timers.register(redraw, first_interval=REDRAW_SECONDS)
            return {"FINISHED"}
        # Without windows, the program would end before the thread.
        progress.join()
        if progress.error:
            self.report({"ERROR"}, progress.error)
            return {"CANCELLED"}
        return {"FINISHED"}


class CALLSHEET_OT_export_bundle(bpy.types.Operator):
    """Write the scene as a job bundle, with a copy of the scene file. Needs no server"""

    bl_idname = "callsheet.export_bundle"
    bl_label = "Export job bundle"

    directory: StringProperty(subtype="DIR_PATH")

    def invoke(self, context, _event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        scene = context.scene
        problems = scenes.problems_of(scene, "COPY")
        if problems:
            self.report({"ERROR"}, " ".join(problems))
            return {"CANCELLED"}
        try:
            os.makedirs(self.directory, exist_ok=True)
            file = submissions.scene_file("COPY", folder=os.path.abspath(self.directory))
            jobs = submissions.submissions_of(scene, os.path.basename(file))
            with open(os.path.join(os.path.dirname(__file__), "template.json"), encoding="utf-8") as template:
                text = template.read()
            used = [path for path in scenes.used_files(bpy.data.filepath) if os.path.exists(path)]
            for job in jobs:
                names = [job.parameters["Camera"], job.parameters["ViewLayer"]] if len(jobs) > 1 else []
                folder = os.path.join(self.directory, *(["-".join(filter(None, names))] if names else []))
                placed = job.parameters if len(jobs) == 1 else {**job.parameters, "Scene": os.path.abspath(file)}
                inputs = [placed["Scene"], *used]
                submissions.write_bundle(
                    folder, submissions.Submission(job.name, job.product, placed, job.settings), text, inputs
                )
        except (OSError, RuntimeError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Bundles in {self.directory}: {len(jobs)}")
        return {"FINISHED"}


CLASSES = (CALLSHEET_OT_refresh, CALLSHEET_OT_check, CALLSHEET_OT_submit, CALLSHEET_OT_export_bundle)
