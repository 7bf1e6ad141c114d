"""Stands in for a program that cannot be installed here. The driver (../stand-ins.test.ts) describes the files.

    python3 stand-in.py PROGRAM [ARGUMENTS...]

STAND_IN_SETTINGS names the JSON file with what it does. It appends its arguments to the record, writes the files of
this call, prints its lines and ends with the exit code. A program that runs Python scripts runs the first argument that
ends with .py as well, with the modules of ./modules; these call `act` for each call that the record shall have.
"""

import json
import os
import runpy
import signal
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))


def settings():
    with open(os.environ["STAND_IN_SETTINGS"], encoding="utf-8") as file:
        return json.load(file)


def act(call, name):
    """Records a call, writes its files and prints the lines of this name. Returns its exit code."""
    wanted = settings()
    number = 0
    if os.path.exists(wanted["record"]):
        with open(wanted["record"], encoding="utf-8") as file:
            number = len(file.readlines())
    with open(wanted["record"], "a", encoding="utf-8") as file:
        seen = {name: os.environ.get(name) for name in wanted["variables"]}
        session = os.environ.get("OPENJD_SESSION_WORKING_DIR", "")
        file.write(json.dumps({"arguments": call, "session": session, "variables": seen}) + "\n")
    for path in wanted["writes"][number] if number < len(wanted["writes"]) else []:
        with open(path, "w", encoding="utf-8") as file:
            file.write("a picture\n")
    out = open(call[call.index(wanted["log"]) + 1], "ab") if wanted["log"] in call else sys.stdout.buffer
    for line in wanted["lines"].get(name, []):
        out.write((line + "\n").encode(wanted["encoding"]))
        out.flush()
    code = wanted["exits"].get(name, 0)
    if code < 0:
        os.kill(os.getpid(), -code)
        signal.pause()
    return code


def main():
    program, arguments = sys.argv[1], sys.argv[2:]
    code = act([program] + arguments, program)
    if code != 0 or program not in settings()["runsScripts"]:
        sys.exit(code)
    at = next(index for index, word in enumerate(arguments) if word.endswith(".py"))
    sys.modules["stand_in"] = sys.modules["__main__"]
    sys.path.insert(0, os.path.join(HERE, "modules"))
    sys.argv = arguments[at:]
    runpy.run_path(arguments[at], run_name="__main__")


main()
