"""Runs in Blender with a window: uses the panel, saves pictures of it, and prints what it did as one line of JSON."""

import json
import os
import sys

import addon_utils
import bpy

sys.path.append(os.path.dirname(__file__))
folder, pictures = sys.argv[sys.argv.index("--") + 1 :]
addon_utils.enable("callsheet_submit", default_set=True)

from callsheet_submit import operators  # noqa: E402
from make_scene import make_scene  # noqa: E402

STEP_SECONDS = 0.2
# The other panels of the render properties: without them, the panel fits into the window.
OTHERS = [
    each
    for each in bpy.types.Panel.__subclasses__()
    if getattr(each, "bl_context", "") == "render" and each.is_registered and each.__name__ != "CALLSHEET_PT_panel"
]
result = {}


def properties_area():
    """Returns the largest area that shows properties."""
    areas = [area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == "PROPERTIES"]
    return max(areas, key=lambda area: area.width * area.height)


def save_picture(name):
    """Draws the properties, and saves a picture of them."""
    window, area = bpy.context.window_manager.windows[0], properties_area()
    area.tag_redraw()
    yield
    with bpy.context.temp_override(window=window, area=area):
        bpy.ops.screen.screenshot_area(filepath=os.path.join(pictures, f"{name}.png"))


def until_drawn():
    """Waits until the add-on has drawn the last state of a submission and its jobs."""
    while bpy.app.timers.is_registered(operators.redraw):
        yield


def use_panel():
    """The steps of a user. Blender draws its window after each `yield`."""
    scene = make_scene(folder)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "shot.blend"))
    screen = bpy.context.window_manager.windows[0].screen
    max(screen.areas, key=lambda area: area.width * area.height).type = "PROPERTIES"
    for each in OTHERS:
        bpy.utils.unregister_class(each)
    yield
    properties_area().spaces[0].context = "RENDER"
    settings = scene.callsheet
    result["refreshed"] = sorted(bpy.ops.callsheet.refresh())
    settings.farm, settings.queue, settings.frames_per_task, settings.priority = "studio", "main", 2, 65
    for camera in settings.cameras:
        camera.use = True
    result["checked"] = sorted(bpy.ops.callsheet.check())
    yield
    yield from save_picture("blender-panel")
    result["submitted"] = sorted(bpy.ops.callsheet.submit())
    result["redraws"] = bpy.app.timers.is_registered(operators.redraw)
    yield from until_drawn()
    result["jobs"] = [(job["name"], job["status"], job["url"]) for job in operators.progress.jobs]
    yield from save_picture("blender-panel-jobs")
    files = set(os.listdir(folder))
    settings.farm = "none"
    result["refused"] = sorted(bpy.ops.callsheet.submit())
    yield from until_drawn()
    result["error"] = operators.progress.error
    result["left"] = sorted(set(os.listdir(folder)) - files)
    yield from save_picture("blender-panel-error")


steps = use_panel()


def step():
    try:
        next(steps)
        return STEP_SECONDS
    except StopIteration:
        print("RESULT " + json.dumps(result), flush=True)
        os._exit(0)  # Without the question whether to save.
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(1)


bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(step, first_interval=STEP_SECONDS)
