"""Runs in Blender: makes a scene, uses every operator of the add-on, and prints what they did as one line of JSON."""

import json
import os
import sys
import threading
from types import SimpleNamespace

import addon_utils
import bpy

sys.path.append(os.path.dirname(__file__))
folder = sys.argv[sys.argv.index("--") + 1]
addon_utils.enable("callsheet_submit", default_set=True)

from callsheet_submit import background, operators, panel, path_preview, scene as scenes, submissions  # noqa: E402
from callsheet_submit.callsheet import ENDED  # noqa: E402
from make_scene import make_scene  # noqa: E402


class Layout:
    """Records what a panel draws. A property or an operator that does not exist is an error, as in a window."""

    def __init__(self, lines):
        self.lines = lines
        self.use_property_split = False

    def row(self, align=False, factor=0):
        return self

    box = column = split = row

    def label(self, text, icon="NONE"):
        self.lines.append(text)

    def prop(self, owner, name, text=None):
        getattr(owner, name)
        self.lines.append(text or owner.bl_rna.properties[name].name)

    def prop_search(self, owner, name, choices, choices_name):
        getattr(choices, choices_name)
        self.prop(owner, name)

    def operator(self, name, text=None, icon="NONE"):
        module, operator = name.split(".")
        getattr(getattr(bpy.ops, module), operator).get_rna_type()
        self.lines.append(text or name)
        return SimpleNamespace()


def drawn():
    """Returns the texts of the panel."""
    lines = []
    panel.CALLSHEET_PT_panel.draw(SimpleNamespace(layout=Layout(lines)), bpy.context)
    return lines


def run(operator, **given):
    """Returns the result of an operator, or its error."""
    try:
        return sorted(operator("EXEC_DEFAULT", **given))
    except RuntimeError as error:
        return str(error)


scene = make_scene(folder)
settings = scene.callsheet
unsaved = run(bpy.ops.callsheet.submit)
drawn_unsaved = drawn()
bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "shot.blend"))
refreshed = run(bpy.ops.callsheet.refresh)
result = {
    "unsaved": unsaved,
    "drawn_unsaved": drawn_unsaved,
    "refreshed": refreshed,
    "farms": [each.name for each in settings.farms],
    "queues": [each.name for each in settings.queues],
    "products": [each.name for each in settings.products],
    "cameras": [each.name for each in settings.cameras],
    "layers": [each.name for each in settings.layers],
    "checked": run(bpy.ops.callsheet.check),
    "report": {**operators.report},
    "panel": bpy.types.CALLSHEET_PT_panel.bl_context,
}
settings.farm, settings.queue, settings.frames_per_task, settings.priority = "studio", "main", 2, 65
settings.save_mode = "AS_IS"
scene.frame_end = 4
scene.frame_end = 3
bpy.ops.wm.save_mainfile()
result["submitted"] = run(bpy.ops.callsheet.submit)
result["jobs"] = operators.progress.jobs
settings.save_mode, settings.frames = "COPY", "2"
for camera in settings.cameras:
    camera.use = True
result["copied"] = run(bpy.ops.callsheet.submit)
result["copies"] = operators.progress.jobs
result["text"] = operators.progress.text
operators.progress.jobs = result["jobs"] + result["copies"]
background.follow_jobs(operators.client_of(bpy.context), ENDED)(operators.progress, threading.Event())
result["drawn"] = drawn()
result["followed"] = [job["status"] for job in operators.progress.jobs]
for camera in settings.cameras:
    camera.use = False
bundle = os.path.join(folder, "bundle")
result["exported"] = run(bpy.ops.callsheet.export_bundle, directory=bundle)
copies_before = sorted(os.listdir(folder))
settings.farm = "none"
result["unknown"] = run(bpy.ops.callsheet.submit)
result["left"] = sorted(set(os.listdir(folder)) - set(copies_before))
settings.farm = "studio"
settings.cameras[0].use, settings.cameras[0].name = True, "Deleted"
result["deleted"] = run(bpy.ops.callsheet.submit)
settings.cameras[0].use = False
result["movie"] = None
scene.render.image_settings.file_format = "FFMPEG"
result["movie"] = run(bpy.ops.callsheet.submit)
result["names"] = [
    scenes.with_names("/out/shot.####.png", ["Cam A", "Layer"]),
    scenes.with_names("/out/####.exr", ["A"]),
]
storage = [
    {"roots": {"default": "/mnt/shows", "annex": "/Volumes/shows", "office": "S:\\shows"}},
    {"roots": {"default": "/mnt"}},
]
result["preview"] = [
    path_preview.path_preview("/mnt/shows/a/b.blend", storage),
    path_preview.path_preview("s:/Shows/a.blend", storage),
    path_preview.path_preview("/mnt/showreel/a", storage),
    path_preview.path_preview("/other", storage),
]
addon_utils.disable("callsheet_submit")
print("RESULT " + json.dumps(result))
