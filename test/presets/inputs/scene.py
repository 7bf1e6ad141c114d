"""Makes a small Blender scene: blender -b --factory-startup --python-exit-code 1 -P scene.py -- FILE."""

import sys
import bpy

for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
bpy.ops.mesh.primitive_plane_add(size=8)
bpy.ops.mesh.primitive_monkey_add(location=(0, 0, 1))
monkey = bpy.context.object
for frame, turn in ((1, 0.0), (10, 2.0)):
    monkey.rotation_euler[2] = turn
    monkey.keyframe_insert("rotation_euler", frame=frame)
bpy.ops.object.light_add(type="SUN", rotation=(0.6, 0.3, 0.0))
bpy.context.object.data.energy = 3
for name, place in (("CamA", (0, -6, 2)), ("CamB", (5, -4, 3))):
    bpy.ops.object.camera_add(location=place)
    camera = bpy.context.object
    camera.name = name
    aim = camera.constraints.new("TRACK_TO")
    aim.target = monkey
scene = bpy.context.scene
scene.camera = bpy.data.objects["CamA"]
scene.render.engine = "CYCLES"
scene.cycles.samples = 4
scene.cycles.use_denoising = False
scene.render.resolution_x, scene.render.resolution_y = 160, 90
scene.render.image_settings.file_format = "PNG"
scene.frame_start, scene.frame_end = 1, 10
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[sys.argv.index("--") + 1])
