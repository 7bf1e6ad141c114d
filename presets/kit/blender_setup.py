"""Changes the scene as the preset asks, inside Blender. Ends Blender with 1 if the scene does not have it.

Reads CALLSHEET_SETTINGS, a JSON object. Empty, 0 and "scene" leave the scene as it is:
  scene, camera, layer: names; engine, format: identifiers of Blender; samples: a number; scale: percent of the size;
  denoise: "off"; missing: "fail" if files that the scene uses must exist; border: left, right, bottom, top from 0 to 1,
  as EXR without compositor and sequencer; output, frames: the pictures.
Writes the paths of the pictures to the file CALLSHEET_WRITTEN, and removes those of an earlier attempt.
"""

import json
import os
import sys
import bpy


def refuse(text):
    print("cannot render: " + " ".join(text.split()))
    sys.stdout.flush()
    sys.exit(1)


def one_of(kind, name, names):
    if name not in names:
        refuse("the scene has no %s %r; it has %s" % (kind, name, ", ".join(map(repr, names)) or "none"))


def set_engine(scene, engine):
    """Selects an engine. EEVEE has another identifier in Blender 4.2 to 4.5."""
    names = dict(BLENDER_EEVEE=["BLENDER_EEVEE", "BLENDER_EEVEE_NEXT"], BLENDER_EEVEE_NEXT=["BLENDER_EEVEE_NEXT", "BLENDER_EEVEE"])
    for name in names.get(engine, [engine]):
        try:
            scene.render.engine = name
            return
        except TypeError:
            continue
    refuse("Blender %s has no engine %s" % (bpy.app.version_string, engine))


def set_format(scene, wanted):
    """Selects a file format, and refuses movies, because each task would write its own."""
    pictures = scene.render.image_settings
    if wanted == "scene":
        if scene.render.is_movie_format:
            refuse("the scene writes movies (%s); choose a format of pictures" % pictures.file_format)
        return
    if hasattr(pictures, "media_type"):
        pictures.media_type = "MULTI_LAYER_IMAGE" if wanted == "OPEN_EXR_MULTILAYER" else "IMAGE"
    try:
        pictures.file_format = wanted
    except TypeError:
        refuse("this Blender cannot write %s" % wanted)


def set_samples(scene, samples):
    if scene.render.engine == "CYCLES":
        scene.cycles.samples = samples
    elif scene.render.engine.startswith("BLENDER_EEVEE"):
        scene.eevee.taa_render_samples = samples


def set_camera(scene, name):
    """Selects a camera instead of the scene's, and of the ones that markers switch to."""
    one_of("camera", name, [each.name for each in scene.objects if each.type == "CAMERA"])
    scene.camera = scene.objects[name]
    for marker in scene.timeline_markers:
        marker.camera = None


def set_layer(scene, name):
    one_of("view layer", name, [layer.name for layer in scene.view_layers])
    for layer in scene.view_layers:
        layer.use = layer.name == name


def set_border(scene, border):
    """Renders a part of the picture. The other pixels stay black and transparent, so that tiles can be added."""
    render = scene.render
    render.use_border, render.use_crop_to_border = True, False
    render.border_min_x, render.border_max_x, render.border_min_y, render.border_max_y = border
    render.use_compositing = render.use_sequencer = False
    render.image_settings.color_mode, render.image_settings.color_depth = "RGBA", "32"


def report_missing(fails):
    """Names the files that the scene uses and that do not exist. Names with a placeholder stand for several files."""
    paths = sorted(set(bpy.utils.blend_paths(absolute=True, packed=False)))
    missing = [path for path in paths if path and "<" not in os.path.basename(path) and not os.path.exists(path)]
    for path in missing:
        print("Missing file: " + path)
    if missing and fails:
        refuse("the scene uses %s, which does not exist (missing files: %d)" % (missing[0], len(missing)))


def picture_paths(scene, frames):
    """Returns the files that Blender will write: one a frame, or one a frame and view."""
    render = scene.render
    views = [""]
    if render.use_multiview and render.image_settings.views_format == "INDIVIDUAL":
        views = [view.name for view in render.views if view.use]
    return [render.frame_path(frame=frame, view=view) for frame in frames for view in views]


def main():
    settings = json.loads(os.environ["CALLSHEET_SETTINGS"])
    scene = bpy.context.scene
    name = settings.get("scene")
    # Blender renders another scene if the file does not have the one of -S.
    if name and scene.name != name:
        refuse("the file has no scene %r; it has %s" % (name, ", ".join(repr(each.name) for each in bpy.data.scenes)))
    report_missing(settings.get("missing") == "fail")
    if settings.get("engine", "scene") != "scene":
        set_engine(scene, settings["engine"])
    set_format(scene, settings.get("format", "scene"))
    if settings.get("camera"):
        set_camera(scene, settings["camera"])
    if settings.get("layer"):
        set_layer(scene, settings["layer"])
    if settings.get("samples"):
        set_samples(scene, settings["samples"])
    if settings.get("denoise") == "off" and hasattr(scene, "cycles"):
        scene.cycles.use_denoising = False
    scene.render.resolution_percentage = max(1, round(scene.render.resolution_percentage * settings.get("scale", 100) / 100))
    if settings.get("border"):
        set_border(scene, settings["border"])
    scene.render.use_overwrite, scene.render.use_placeholder = True, False
    paths = picture_paths(scene, settings["frames"])
    for path in paths:
        if os.path.lexists(path):
            os.remove(path)
    with open(os.environ["CALLSHEET_WRITTEN"], "w") as file:
        json.dump(paths, file)


main()
