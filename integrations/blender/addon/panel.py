"""The panel in the render properties."""

import bpy

from . import operators, scene as scenes

MISSING_MAX = 8
# Share of the width that the names of fields have in Blender.
NAME_SHARE = 0.4


class CALLSHEET_PT_panel(bpy.types.Panel):
    bl_idname = "CALLSHEET_PT_panel"
    bl_label = "Callsheet"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "render"

    def draw(self, context):
        layout, settings = self.layout, context.scene.callsheet
        layout.use_property_split = True
        layout.use_property_decorate = False  # These values are not animated.
        layout.operator("callsheet.refresh", icon="FILE_REFRESH")
        layout.prop_search(settings, "farm", settings, "farms")
        layout.prop_search(settings, "queue", settings, "queues")
        layout.prop_search(settings, "product", settings, "products")
        layout.prop(settings, "frames")
        if not settings.frames.strip():
            draw_hint(layout, f"Frames of the scene: {scenes.frames_of(context.scene)}")
        layout.prop(settings, "frames_per_task")
        layout.prop(settings, "priority")
        layout.prop(settings, "save_mode")
        layout.prop(settings, "denoise_off")
        draw_choices(layout, "Cameras", settings.cameras, "No selection: the camera of the scene and of its markers")
        draw_choices(layout, "View layers", settings.layers, "No selection: all that the scene renders")
        draw_report(layout)
        for problem in scenes.problems_of(context.scene, settings.save_mode):
            layout.label(text=problem, icon="ERROR")
        row = layout.row()
        row.operator("callsheet.submit", icon="RENDER_ANIMATION")
        row.operator("callsheet.export_bundle", icon="EXPORT")
        draw_progress(layout)


def draw_hint(layout, text):
    """Draws a text below the value of the field above."""
    split = layout.split(factor=NAME_SHARE)
    split.label(text="")
    split.label(text=text)


def draw_choices(layout, title, choices, hint):
    column = layout.box().column(align=True)
    column.label(text=title)
    for choice in choices:
        column.prop(choice, "use", text=choice.name)
    if not any(choice.use for choice in choices):
        column.label(text=hint)


def draw_report(layout):
    box = layout.box()
    box.operator("callsheet.check", icon="VIEWZOOM")
    missing, paths = operators.report["missing"], operators.report["paths"]
    if missing is not None:
        column = box.column(align=True)
        if missing:
            column.label(text=f"Missing files: {len(missing)}", icon="ERROR")
        else:
            column.label(text="All files exist", icon="CHECKMARK")
        for path in missing[:MISSING_MAX]:
            column.label(text=path)
        if len(missing) > MISSING_MAX:
            column.label(text=f"and {len(missing) - MISSING_MAX} more")
    for title, places in paths or []:
        column = box.column(align=True)
        column.label(text=f"{title} at compute locations:")
        for place, path in places:
            column.label(text=f"{place}: {path}" if place else path)


def draw_progress(layout):
    progress = operators.progress
    if progress.error:
        layout.label(text=f"Not submitted: {progress.error}", icon="ERROR")
    elif progress.text:
        layout.label(text=f"{progress.text} ({progress.share:.0%})" if progress.is_active else progress.text)
    for job in progress.jobs:
        counts = job["counts"]
        row = layout.row()
        row.label(text=f"{job['name']}: {job['status']}, {counts['succeeded']} of {counts['total']} tasks")
        row.operator("wm.url_open", text="Open", icon="URL").url = job["url"]
        if job.get("error"):
            layout.label(text=job["error"], icon="ERROR")


CLASSES = (CALLSHEET_PT_panel,)
