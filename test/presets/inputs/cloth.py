"""Makes a Blender scene with a cloth that falls on a sphere: blender -b --factory-startup --python-exit-code 1 -P cloth.py -- FILE."""

import sys
import bpy

for thing in list(bpy.data.objects):
    bpy.data.objects.remove(thing)
bpy.ops.mesh.primitive_uv_sphere_add()
bpy.context.object.modifiers.new("Collision", "COLLISION")
bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=3, location=(0, 0, 1.5))
bpy.context.object.modifiers.new("Cloth", "CLOTH")
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[sys.argv.index("--") + 1])
