"""Submits the scene to a render farm with Callsheet: a panel in the render properties (integrations/blender/README.md)."""

import bpy

from . import operators, panel, settings

bl_info = {
    "name": "Callsheet submitter",
    "author": "Callsheet",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "Properties > Render > Callsheet",
    "description": "Submits the scene to a render farm with Callsheet",
    "category": "Render",
}

CLASSES = (*settings.CLASSES, *operators.CLASSES, *panel.CLASSES)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.callsheet = bpy.props.PointerProperty(type=settings.CallsheetSettings)


def unregister():
    operators.stop()
    del bpy.types.Scene.callsheet
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
