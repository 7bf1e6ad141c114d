"""Builds the add-on as a zip file: with the Python client, and the template of the preset blender/render for job bundles.

    python3 integrations/blender/build_addon.py [FOLDER]
"""

import json
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLIENT = ROOT / "clients" / "python" / "src"
PRESET = ROOT / "presets" / "blender" / "render.yaml"
NAME = "callsheet_submit"
TIME = (1980, 1, 1, 0, 0, 0)


def files():
    """Returns the content of each file of the add-on, by name."""
    found = {}
    for folder, place in ((HERE / "addon", NAME), (CLIENT / "callsheet", f"{NAME}/callsheet")):
        for path in sorted(folder.rglob("*")):
            if path.suffix == ".py" or path.name == "py.typed":
                found[f"{place}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    sys.path.insert(0, str(CLIENT))
    from callsheet.yaml_reader import read_yaml

    template = read_yaml(PRESET.read_text(encoding="utf-8"))["template"]
    found[f"{NAME}/template.json"] = json.dumps(template, indent=2).encode()
    found[f"{NAME}/blender_manifest.toml"] = (HERE / "addon" / "manifest.toml").read_bytes()
    found[f"{NAME}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return found


def build(folder):
    """Writes the zip file into a folder, and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files().items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return path


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "dist"))
