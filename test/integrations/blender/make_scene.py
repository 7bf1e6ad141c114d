"""The scene of the tests: a turning cube, two cameras, an unused view layer, and images of which one is missing."""

import os

import bpy


def make_scene(folder):
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 96, 54, 100
    scene.frame_start, scene.frame_end = 1, 3
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = os.path.join(folder, "out", "shot.####.png")
    cube = bpy.data.objects["Cube"]
    for frame in (1, 3):
        cube.rotation_euler.z = frame
        cube.keyframe_insert("rotation_euler", frame=frame)
    second = bpy.data.objects.new("Close", bpy.data.cameras.new("Close"))
    second.location, second.rotation_euler = (0, -5, 0), (1.5708, 0, 0)
    scene.collection.objects.link(second)
    scene.view_layers.new("Unused").use = False
    for name in ("there.png", "missing.png", "tile.<UDIM>.png"):
        image = bpy.data.images.new(name, 8, 8)
        image.source = "TILED" if "UDIM" in name else "FILE"
        image.filepath = os.path.join(folder, name)
        image.use_fake_user = True
    for name in ("there.png", "tile.1001.png"):
        open(os.path.join(folder, name), "wb").close()
    return scene
