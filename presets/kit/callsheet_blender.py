"""Runs Blender for the presets that render with it. The embedded file `Setup` (blender_setup.py) runs inside Blender.

Python 3.6 or later, standard library only, and no two opening braces in a row, as in callsheet_watch.py.
"""

import json
import os
from callsheet_watch import Progress, fail, numbered, program, require, run, runs_of, say

PLACES = [
    "/opt/blender*/blender",
    "/usr/local/blender*/blender",
    "/snap/bin/blender",
    "/Applications/Blender*.app/Contents/MacOS/Blender",
    "C:/Program Files/Blender Foundation/Blender */blender.exe",
]
ENDINGS = dict(PNG=".png", OPEN_EXR=".exr", OPEN_EXR_MULTILAYER=".exr", JPEG=".jpg", TIFF=".tif")
LAST_FRAME = 1048574
# Lines that Blender prints when it cannot render, and blender_setup.py.
ERRORS = [
    r"^cannot (?:render|bake): ",
    r"Cannot render, no camera",
    r"^Error: Engine '.*' not available",
    r"Found no Cycles device",
    r"Build without OpenImageDenoiser",
    r"^Error: (?:Cannot read file|Failed to read blend file|File format is not supported|Not a blend file)",
    r"Render error \(.*\) cannot save:",
    r"Out of memory|out of GPU memory",
]


def find_blender():
    return program("Blender", ["blender"], PLACES)


def with_ending(output, file_format):
    """Returns the output with the ending that Blender gives to files of the format. `scene`: as it is."""
    if file_format not in ENDINGS:
        return output
    start, ending = os.path.splitext(output)
    return (output if "#" in ending else start) + ENDINGS[file_format]


def frame_list(frames):
    """Returns frames as Blender's argument -f takes them, such as 1..3,7."""
    for frame in frames:
        if not 0 <= frame <= LAST_FRAME:
            fail("Blender renders frames from 0 to %d, and the job has frame %d" % (LAST_FRAME, frame))
    parts = []
    for first, last, step in runs_of(frames):
        if step == 1 and last > first:
            parts.append("%d..%d" % (first, last))
        else:
            parts.extend(str(frame) for frame in range(first, last + (1 if step > 0 else -1), step))
    return ",".join(parts)


def render(scene, output, frames, settings, device="CPU", run_scripts=False, progress=None):
    """Renders frames, and ends the task as failed unless all files exist. Returns their paths.

    output: the path of the pictures with ####.
    settings: what blender_setup.py changes in the scene; see there.
    """
    if not os.path.isfile(scene):
        fail("the scene %s does not exist" % scene)
    numbered(output, frames[0])
    listed = frame_list(frames)
    written = os.path.abspath("written.json")
    setup = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blender_setup.py")
    command = [find_blender(), "-b", "-y" if run_scripts else "-Y", scene]
    if settings.get("scene"):
        command += ["-S", settings["scene"]]
    command += ["-o", output, "-x", "1", "-t", "0", "--python-exit-code", "1", "-P", setup, "-f", listed]
    run(
        "Blender",
        command + ["--", "--cycles-device", device],
        outputs=[written],
        progress=progress
        or Progress(len(frames), done=r"^Saved: ", part=r"\b(?:Sample|Rendering) (\d+) ?/ ?(\d+)\b"),
        errors=ERRORS,
        environment=dict(
            CALLSHEET_SETTINGS=json.dumps(dict(settings, output=output, frames=list(frames))),
            CALLSHEET_WRITTEN=written,
        ),
    )
    with open(written) as file:
        paths = json.load(file)
    require("Blender", paths)
    say("Frames: %d, files: %d" % (len(frames), len(paths)))
    return paths
