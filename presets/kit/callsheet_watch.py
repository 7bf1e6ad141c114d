"""Runs the program of a preset, reports its progress, and decides whether the task succeeded.

Every preset carries this file as the embedded file `Watch` (docs/presets.md). Python 3.6 or later, standard library
only. Two opening braces in a row start a format string of OpenJD, so this file contains none.
"""

import codecs
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

LINE_MAX = 300
# Limits of the outputs of a task (docs/outputs.md).
OUTPUTS_MAX = 64
OUTPUT_CHARACTERS_MAX = 1024

named_outputs = []


def say(text):
    """Prints one line at once, so that the log of the task is never behind the program."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def fail(text):
    """Ends the task as failed with one sentence, which the pages show."""
    say("openjd_fail: " + " ".join(text.split())[:LINE_MAX])
    sys.exit(1)


def frames_of(text):
    """Returns the frames of a range such as 1-9:2,20 in its order."""
    frames = []
    for part in str(text).replace(" ", "").split(","):
        match = re.match(r"^(-?\d+)(?:-(-?\d+)(?::(-?\d+))?)?$", part)
        if match is None:
            fail("the frame range %r cannot be read at %r" % (text, part))
        first = int(match.group(1))
        last = int(match.group(2)) if match.group(2) is not None else first
        step = int(match.group(3)) if match.group(3) is not None else 1
        if step == 0:
            fail("the frame range %r has the step 0 at %r" % (text, part))
        frames.extend(range(first, last + (1 if step > 0 else -1), step))
    return frames


def runs_of(frames):
    """Returns (first, last, step) for each run of evenly spaced frames, in order."""
    runs = []
    for frame in frames:
        if runs and runs[-1][0] == runs[-1][1]:
            runs[-1] = (runs[-1][0], frame, frame - runs[-1][0])
        elif runs and frame - runs[-1][1] == runs[-1][2]:
            runs[-1] = (runs[-1][0], frame, runs[-1][2])
        else:
            runs.append((frame, frame, 1))
    return runs


def numbered(pattern, frame):
    """Replaces the last run of # in the file name by the frame number, padded with zeros."""
    directory, name = os.path.split(str(pattern))
    hashes = list(re.finditer(r"#+", name))
    if not hashes:
        fail("the file name %s needs #### where the frame number belongs" % name)
    at = hashes[-1]
    number = ("-" if frame < 0 else "") + str(abs(frame)).zfill(len(at.group()))
    return os.path.join(directory, name[: at.start()] + number + name[at.end() :])


def extra_arguments(text):
    """Splits additional arguments as a shell does, without running one."""
    try:
        return shlex.split(text)
    except ValueError as problem:
        fail("the additional arguments cannot be split: %s" % problem)


def program(title, names, places=()):
    """Returns the path of the first program found on the PATH or in the newest of the install directories."""
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    for place in places:
        found = sorted(
            (path for path in glob.glob(os.path.expandvars(place)) if os.access(path, os.X_OK)),
            key=lambda path: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)],
        )
        if found:
            return found[-1]
    fail("this worker has no %s: %s is not on the PATH" % (title, " or ".join(names)))


class Progress:
    """Turns lines of the program into openjd_progress, which never falls and is printed once a percent.

    done: one of `total` parts (frames, files) is complete.
    part: how far the current part is: a percentage (one group) or a count and its total (two groups).
    overall: how far the task is, in the same two forms.
    """

    def __init__(self, total=1, done=None, part=None, overall=None):
        self.total = max(total, 1)
        self.done_pattern = re.compile(done) if done else None
        self.part_pattern = re.compile(part) if part else None
        self.overall_pattern = re.compile(overall) if overall else None
        self.done = 0
        self.printed = -1

    def line(self, text):
        if self.done_pattern and self.done_pattern.search(text):
            self.done += 1
            self.report(self.done / self.total)
        elif self.part_pattern:
            share = share_of(self.part_pattern.search(text))
            if share is not None:
                self.report((self.done + share) / self.total)
        if self.overall_pattern:
            share = share_of(self.overall_pattern.search(text))
            if share is not None:
                self.report(share)

    def report(self, share):
        percent = int(min(max(share, 0), 1) * 100)
        if percent > self.printed:
            self.printed = percent
            say("openjd_progress: %d" % percent)


def share_of(match):
    """Returns a number from 0 to 1: group 1 as a percentage, or group 1 of group 2. None if there is none."""
    if match is None:
        return None
    if match.re.groups > 1 and match.group(2) is not None:
        total = float(match.group(2))
        return float(match.group(1)) / total if total > 0 else None
    return float(match.group(1)) / 100


def lines_of(stream, encoding):
    """Yields the lines of a program, which end with a line feed or a carriage return."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    rest = ""
    while True:
        piece = stream.read1(65536)
        rest += decoder.decode(piece, final=not piece)
        *whole, rest = re.split(r"\r\n|\n|\r(?!\Z)", rest)
        for line in whole:
            yield line
        if not piece:
            if rest:
                yield rest
            return


def clear(outputs):
    """Makes the directories of the outputs and removes files of an earlier attempt, which must not pass as new."""
    for path in outputs:
        try:
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            if os.path.lexists(path):
                os.remove(path)
        except OSError as problem:
            fail("cannot write %s: %s" % (path, problem.strerror))


def name_outputs(paths):
    """Lists files and directories as outputs of the task. Those in the directory of the session are removed with it."""
    session = os.path.join(os.path.realpath(os.getcwd()), "")
    for path in map(os.path.abspath, paths):
        is_text = re.match(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+$", path) and path == path.strip()
        if not is_text or len(path) > OUTPUT_CHARACTERS_MAX or path in named_outputs:
            continue
        if os.path.join(os.path.realpath(path), "").startswith(session):
            continue
        if len(named_outputs) == OUTPUTS_MAX:
            return
        named_outputs.append(path)
        say("callsheet_output: " + path)


def require(title, outputs, interim=False):
    """Fails unless each output exists and is not empty. Lists them as outputs of the task, unless they are interim."""
    missing = [path for path in outputs if not (os.path.isfile(path) and os.path.getsize(path) > 0)]
    if missing:
        fail("%s did not write %s (missing or empty: %d of %d)" % (title, missing[0], len(missing), len(outputs)))
    if not interim:
        name_outputs(outputs)


def run(
    title,
    command,
    outputs=(),
    progress=None,
    errors=(),
    licence=(),
    licence_codes=(),
    environment=None,
    directory=None,
    encoding="utf-8",
    hidden=None,
    interim=False,
):
    """Runs a program and ends the task as failed unless it succeeded. Returns its last 20 lines that are not blank.

    outputs: files that this run must write.
    errors: patterns of lines that mean a failure even if the exit code is 0.
    licence, licence_codes: patterns and exit codes that mean that no licence was free.
    hidden: pattern of lines that say the progress, many a second, and are not copied to the log.
    interim: the outputs get another name or are removed later, so the task does not list them.
    """
    clear(outputs)
    say("Running: " + " ".join(shlex.quote(str(word)) for word in command))
    try:
        child = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, **(environment or dict())),
            cwd=directory,
        )
    except OSError as problem:
        fail("cannot start %s: %s" % (command[0], problem.strerror))
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    bad, no_licence, tail = None, None, []
    for line in lines_of(child.stdout, encoding):
        if hidden is None or not re.search(hidden, line):
            say(line)
            tail = (tail + [line.strip()])[-20:] if line.strip() else tail
        if progress is not None:
            progress.line(line)
        if no_licence is None and any(re.search(pattern, line) for pattern in licence):
            no_licence = line.strip()
        elif bad is None and any(re.search(pattern, line) for pattern in errors):
            bad = line.strip()
    code = child.wait()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if code in licence_codes:
        fail("no %s licence: %s" % (title, no_licence or "exit code %d" % code))
    if no_licence is not None:
        fail("no %s licence: %s" % (title, no_licence))
    if bad is not None:
        fail("%s reported an error: %s" % (title, bad))
    if code < 0:
        fail("%s was stopped by signal %d" % (title, -code))
    if code != 0:
        fail("%s ended with exit code %d: %s" % (title, code, tail[-1] if tail else "no output"))
    require(title, outputs, interim)
    return tail
