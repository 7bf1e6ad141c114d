"""Checks embedded files of presets after their values are filled in. Reads JSON from stdin, prints JSON.

Each case has a file with plain values (`plain`), the same with hostile ones (`hostile`), and the pieces of code that
the hostile values became (`pieces`: code and, as JSON, the value that it must have). A file is wrong if it does not
compile, if the hostile values changed anything but constants, or if a piece has another value.
"""

import ast
import json
import sys


def skeleton(tree):
    """Returns the structure of a file without the values of its constants."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value, node.kind = type(node.value).__name__, None
    return ast.dump(tree)


def problems(case):
    if case["file"].endswith(".json"):
        try:
            json.loads(case["hostile"])
        except ValueError as problem:
            return ["is not JSON: %s" % problem]
        return []
    try:
        trees = [ast.parse(case[kind], case["file"]) for kind in ("plain", "hostile")]
        compile(case["hostile"], case["file"], "exec")
    except (SyntaxError, ValueError) as problem:
        return ["does not compile: %s" % problem]
    found = []
    if skeleton(trees[0]) != skeleton(trees[1]):
        found.append("has another structure with hostile values")
    for piece in case["pieces"]:
        try:
            value = ast.literal_eval(piece["code"])
        except (SyntaxError, ValueError) as problem:
            found.append("%s is not a value: %s" % (piece["code"], problem))
            continue
        if value != json.loads(piece["value"]):
            found.append("%s is not %s" % (piece["code"], piece["value"]))
    return found


cases = json.load(sys.stdin)
json.dump([dict(file=case["file"], problems=problems(case)) for case in cases], sys.stdout)
