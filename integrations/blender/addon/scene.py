"""What the scene contains, and what is missing."""

import glob
import os
import re

import bpy

# Parts of names that stand for several files.
PLACEHOLDER = re.compile(r"<(UDIM|UVTILE|TILE|VIEW|FRAME)[^>]*>", re.IGNORECASE)


def cameras_of(scene):
    """Returns the names of the cameras of a scene, in order."""
    return sorted(each.name for each in scene.objects if each.type == "CAMERA")


def layers_of(scene):
    """Returns the names of the view layers that the scene renders."""
    return [layer.name for layer in scene.view_layers if layer.use]


def frames_of(scene):
    """Returns the frames of a scene as a range expression."""
    step = "" if scene.frame_step == 1 else f":{scene.frame_step}"
    return f"{scene.frame_start}-{scene.frame_end}{step}"


def output_of(scene):
    """Returns the absolute path of the pictures, with #### where the frame number belongs; empty without an output."""
    path = scene.render.filepath
    if not path:
        return ""
    path = os.path.normpath(bpy.path.abspath(path)) + (os.sep if path.endswith(("/", "\\")) else "")
    folder, name = os.path.split(path)
    if "#" not in name:
        stem, ending = os.path.splitext(name)
        name = f"{stem}####{ending}"
    return os.path.join(folder, name)


def with_names(output, names):
    """Returns an output with names before the frame number, so that jobs do not overwrite pictures of others."""
    if not names:
        return output
    folder, name = os.path.split(output)
    label = "_".join(re.sub(r"[^\w.-]+", "-", each) for each in names)
    head, hashes, rest = re.match(r"^(.*?)(#+)([^#]*)$", name).groups()
    joined = f"{head}_" if head and not head.endswith(("_", ".", "-")) else head
    return os.path.join(folder, f"{joined}{label}.{hashes}{rest}")


def used_files(scene_file):
    """Returns the files that the scene uses, without packed ones and itself."""
    paths = {os.path.normpath(path) for path in bpy.utils.blend_paths(absolute=True, packed=False) if path}
    return sorted(path for path in paths if path != os.path.normpath(scene_file or ""))


def missing_files(paths):
    """Returns the files that do not exist. A name with a placeholder, such as UDIM tiles, needs one file that fits."""
    missing = []
    for path in paths:
        if PLACEHOLDER.search(path):
            parts = [glob.escape(part) for part in PLACEHOLDER.sub("\0", path).split("\0")]
            if not glob.glob("*".join(parts)):
                missing.append(path)
        elif not os.path.exists(path):
            missing.append(path)
    return missing


def problems_of(scene, save_mode):
    """Returns sentences about what keeps a scene from being submitted."""
    problems = []
    if not bpy.data.filepath:
        problems.append("Save the scene first: workers read its file.")
    elif save_mode == "AS_IS" and bpy.data.is_dirty:
        problems.append("The scene has changes that are not saved: save it, or submit a copy.")
    if scene.camera is None and not any(marker.camera for marker in scene.timeline_markers):
        problems.append("The scene has no camera.")
    if scene.render.is_movie_format:
        problems.append("The output is a movie: select a format of pictures.")
    if not output_of(scene):
        problems.append("The scene has no output path.")
    for what, choices, names in (
        ("camera", scene.callsheet.cameras, cameras_of(scene)),
        ("rendered view layer", scene.callsheet.layers, layers_of(scene)),
    ):
        missing = [choice.name for choice in choices if choice.use and choice.name not in names]
        problems += [f"The scene has no {what} {name}: refresh the list." for name in missing]
    return problems
