"""Makes movies with ffmpeg for the presets that encode, and checks them with ffprobe.

Python 3.6 or later, standard library only, and no two opening braces in a row, as in callsheet_watch.py.
"""

import os
import re
from fractions import Fraction
from callsheet_watch import Progress, clear, fail, numbered, program, require, run, say

# Arguments of each codec, and the endings of files that can hold it. %d is the quality.
CODECS = dict(
    h264=("-c:v libx264 -pix_fmt yuv420p -crf %d", [".mp4", ".mov", ".mkv", ".m4v"]),
    h265=("-c:v libx265 -pix_fmt yuv420p -crf %d -tag:v hvc1 -x265-params log-level=error", [".mp4", ".mov", ".m4v"]),
    prores_hq=("-c:v prores_ks -profile:v 3 -pix_fmt yuv422p10le", [".mov"]),
    prores_4444=("-c:v prores_ks -profile:v 4 -pix_fmt yuva444p10le", [".mov"]),
    dnxhr_hq=("-c:v dnxhd -profile:v dnxhr_hq -pix_fmt yuv422p", [".mov", ".mxf"]),
    vp9=("-c:v libvpx-vp9 -pix_fmt yuv420p -b:v 0 -row-mt 1 -crf %d", [".webm", ".mkv", ".mp4"]),
)
NTSC = dict((name, Fraction(rate * 1000, 1001)) for name, rate in (("23.976", 24), ("29.97", 30), ("47.952", 48), ("59.94", 60), ("119.88", 120)))
EVEN = "pad=ceil(iw/2)*2:ceil(ih/2)*2"
COLOURS = "scale=out_color_matrix=bt709:out_range=tv,setsar=1"
PROGRESS_LINES = r"^[a-z0-9_]+=\s*\S*\s*$"
TAGS = ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709"]


class FrameProgress(Progress):
    """Reads the frames of ffmpeg's option -progress."""

    def line(self, text):
        match = re.match(r"frame=\s*(\d+)\s*$", text)
        if match:
            self.report(int(match.group(1)) / self.total)


def rate_of(number):
    """Returns a frame rate as a fraction. 23.976 and 23.98 are 24000/1001, as the other rates of NTSC."""
    for text, rate in NTSC.items():
        if abs(number - float(text)) < 0.006:
            return rate
    return Fraction(str(number)).limit_denominator(1001)


def real_pictures(images, frames, missing="fail"):
    """Returns (frame, path) for each picture of the movie.

    missing: what a frame without a picture does: "fail", "hold" (the picture before it, or the first one) or "skip".
    """
    found = [(frame, numbered(images, frame)) for frame in frames]
    holes = [(frame, path) for frame, path in found if not (os.path.isfile(path) and os.path.getsize(path) > 0)]
    if len(holes) == len(found):
        fail("no picture exists: the first would be %s" % found[0][1])
    if holes and missing == "fail":
        fail("frame %d is missing: %s does not exist or is empty (missing frames: %d)" % (holes[0] + (len(holes),)))
    for frame, path in holes:
        say("Frame %d is missing: %s" % (frame, path))
    gone = dict(holes)
    held = next(path for frame, path in found if frame not in gone)
    pictures = []
    for frame, path in found:
        held = held if frame in gone else path
        if frame not in gone or missing == "hold":
            pictures.append((frame, held))
    return pictures


def concat_list(name, entries):
    """Writes a list for ffmpeg's concat demuxer, and returns the arguments that read it.

    entries: (path, seconds) of each picture, (path, None) of each movie.
    """
    lines = ["ffconcat version 1.0"]
    for path, seconds in entries:
        if "\n" in path or "\r" in path:
            fail("ffmpeg cannot read a list with the name %r" % path)
        lines.append("file '%s'" % path.replace("'", "'\\''"))
        if "%" in path and seconds is not None:
            # Otherwise ffmpeg takes %04d in the path of a picture for a frame number.
            lines.append("option pattern_type none")
        if seconds is not None:
            lines.append("duration %.9f" % seconds)
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return ["-f", "concat", "-safe", "0", "-i", name]


def picture_input(pictures, rate):
    """Returns the arguments that read pictures at a rate. Linear pictures get the curve of sRGB.

    The option -r numbers the pictures. By the times of the list alone, ffmpeg repeats and drops some at 60 frames a second.
    """
    linear = pictures[0][1].lower().endswith(".exr")
    curve = ["-apply_trc", "iec61966_2_1"] if linear else []
    return curve + ["-r", str(rate)] + concat_list("pictures.ffconcat", [(path, float(1 / rate)) for _, path in pictures])


def size_of(text, name="fit"):
    """Returns width and height of a text such as 1920x1080; None if it is blank."""
    match = re.match(r"^\s*(\d+)\s*x\s*(\d+)\s*$", text.lower())
    if match is None and text.strip():
        fail("the %s %r is not a width and a height such as 1920x1080" % (name, text))
    if match is None:
        return None
    size = int(match.group(1)), int(match.group(2))
    if not all(2 <= side <= 16384 for side in size):
        fail("the %s %dx%d is not from 2 to 16384 pixels a side" % ((name,) + size))
    return size


def fit_filters(size):
    """Returns filters that scale pictures into a size with black bars. None: as they are."""
    if size is None:
        return []
    return ["scale=%d:%d:force_original_aspect_ratio=decrease" % size, "pad=%d:%d:(ow-iw)/2:(oh-ih)/2" % size]


def codec_arguments(codec, quality, movie):
    """Returns the arguments of a codec. Fails if the ending of the movie does not fit."""
    arguments, endings = CODECS[codec]
    ending = os.path.splitext(movie)[1].lower()
    if ending not in endings:
        fail("%s cannot be in a file %s: use %s" % (codec, ending or "without an ending", " or ".join(endings)))
    start = ["-movflags", "+faststart"] if ending in (".mp4", ".mov", ".m4v") else []
    return (arguments % quality if "%d" in arguments else arguments).split() + TAGS + start


def audio_codec(codec, movie):
    ending = os.path.splitext(movie)[1].lower()
    if ending == ".webm":
        return ["-c:a", "libopus", "-b:a", "160k"]
    return ["-c:a", "pcm_s16le", "-ar", "48000"] if codec.startswith(("prores", "dnxhr")) else ["-c:a", "aac", "-b:a", "192k"]


def count_frames(path):
    """Returns width, height and the number of frames that can be decoded. Fails without video."""
    command = [program("ffprobe", ["ffprobe"]), "-v", "error", "-select_streams", "v:0", "-count_frames"]
    lines = run("ffprobe", command + ["-show_entries", "stream=width,height,nb_read_frames", "-of", "csv=p=0", path])
    match = re.match(r"^(\d+),(\d+),(\d+)$", lines[-1] if lines else "")
    if match is None:
        fail("%s has no video that can be read" % path)
    return tuple(int(number) for number in match.groups())


def write_movie(arguments, movie, frames):
    """Runs ffmpeg with inputs, filters and codec, and gives the movie its name once it has as many frames as expected."""
    start, ending = os.path.splitext(movie)
    unfinished = start + ".tmp" + ending
    clear([movie, unfinished])
    command = [program("ffmpeg", ["ffmpeg"]), "-y", "-nostdin", "-v", "error", "-xerror", "-progress", "pipe:1", "-nostats"]
    run("ffmpeg", command + arguments + [unfinished], outputs=[unfinished], progress=FrameProgress(frames), hidden=PROGRESS_LINES, interim=True)
    width, height, found = count_frames(unfinished)
    if found != frames:
        fail("the movie has %d frames instead of %d; it stays as %s" % (found, frames, unfinished))
    try:
        os.replace(unfinished, movie)
    except OSError as problem:
        fail("cannot rename %s: %s" % (unfinished, problem.strerror))
    require("ffmpeg", [movie])
    say("Movie: %s, %d x %d, %d frames" % (movie, width, height, found))


def encode(images, frames, movie, rate, codec, quality, fit="", missing="fail", audio=""):
    """Makes a movie of pictures and, if there is one, a file with sound, which is cut to the length of the movie."""
    rate = rate_of(rate)
    output = codec_arguments(codec, quality, movie)
    size = size_of(fit)
    clear([movie])
    pictures = real_pictures(images, frames, missing)
    arguments = picture_input(pictures, rate)
    if audio:
        if not os.path.isfile(audio):
            fail("the sound %s does not exist" % audio)
        arguments += ["-i", audio, "-map", "0:v:0", "-map", "1:a:0"] + audio_codec(codec, movie)
    chain = ",".join(fit_filters(size) + [EVEN, COLOURS])
    arguments += ["-vf", chain, "-r", str(rate), "-t", "%.6f" % float(len(pictures) / rate)]
    write_movie(arguments + output, movie, len(pictures))
