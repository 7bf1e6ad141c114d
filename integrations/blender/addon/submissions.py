"""The jobs of a scene: one for each selected camera and view layer, as parameters of the product."""

import itertools
import json
import os
from dataclasses import dataclass
from datetime import datetime

import bpy

from . import scene as scenes


@dataclass(frozen=True)
class Submission:
    """A job that is ready to be sent: nothing of Blender is needed for it."""

    name: str
    product: str
    parameters: dict
    settings: dict


def scene_file(save_mode, suffix="", folder=None):
    """Returns the path of the scene file. With COPY, saves a copy next to the scene, or in `folder`."""
    path = bpy.data.filepath
    if save_mode == "AS_IS":
        return path
    stem, ending = os.path.splitext(os.path.basename(path))
    name = f"{stem}{suffix}{ending}"
    copy = os.path.join(folder or os.path.dirname(path), name)
    bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True)
    return copy


def copy_suffix():
    """Returns the ending of the name of a copy: no two copies have the same."""
    return datetime.now().strftime(".callsheet-%Y%m%d-%H%M%S-%f")


def selected(choices):
    return [choice.name for choice in choices if choice.use]


def submissions_of(scene, file):
    """Returns the jobs of a scene. Without a selection, one job renders what the scene renders."""
    settings = scene.callsheet
    output = scenes.output_of(scene)
    cameras = selected(settings.cameras) or [""]
    layers = selected(settings.layers) or [""]
    place = {"farm": settings.farm or None, "queue": settings.queue or None, "priority": settings.priority}
    jobs = []
    for camera, layer in itertools.product(cameras, layers):
        names = ([camera] if len(cameras) > 1 else []) + ([layer] if len(layers) > 1 else [])
        parameters = {
            "Scene": file,
            "SceneName": scene.name,
            "Frames": settings.frames.strip() or scenes.frames_of(scene),
            "FramesPerTask": settings.frames_per_task,
            "Output": scenes.with_names(output, names),
            "Camera": camera,
            "ViewLayer": layer,
            "Denoise": "off" if settings.denoise_off else "scene",
        }
        stem = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
        jobs.append(Submission(" ".join([stem, *names])[:128], settings.product, parameters, place))
    return jobs


def write_bundle(folder, submission, template, inputs):
    """Writes a job bundle: `template` is the text of a job template in JSON or YAML; `inputs` are the files that it reads."""
    os.makedirs(folder, exist_ok=True)
    values = [{"name": name, "value": value} for name, value in submission.parameters.items()]
    values += [
        {"name": "deadline:priority", "value": submission.settings["priority"]},
        {"name": "deadline:targetTaskRunStatus", "value": "READY"},
    ]
    references = {
        "inputs": {"filenames": inputs, "directories": []},
        "outputs": {"directories": [os.path.dirname(submission.parameters["Output"])]},
        "referencedPaths": [],
    }
    ending = "json" if template.lstrip().startswith("{") else "yaml"
    with open(os.path.join(folder, f"template.{ending}"), "w", encoding="utf-8") as file:
        file.write(template)
    for name, document in (
        ("parameter_values", {"parameterValues": values}),
        ("asset_references", {"assetReferences": references}),
    ):
        with open(os.path.join(folder, f"{name}.json"), "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
