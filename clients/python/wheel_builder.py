"""Builds the wheel of the client: a build backend (PEP 517) with the standard library only, and a program.

    python3 clients/python/wheel_builder.py [FOLDER]
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "src"
LICENSE = HERE.parent.parent / "LICENSE"
# The earliest time that a zip file has: the same sources give the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def version() -> str:
    """Returns the version in the package."""
    text = (SOURCES / "callsheet" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if found is None:
        raise SystemExit("callsheet/__init__.py has no __version__")
    return found[1]


def metadata() -> str:
    head = [
        "Metadata-Version: 2.1",
        "Name: callsheet",
        f"Version: {version()}",
        "Summary: A client of Callsheet, a job scheduler for render farms",
        "License: Apache-2.0",
        "Classifier: Typing :: Typed",
        "Classifier: Programming Language :: Python :: 3",
        "Requires-Python: >=3.9",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*head, "", (HERE / "README.md").read_text(encoding="utf-8")])


def files() -> Dict[str, bytes]:
    """Returns the content of each file of the wheel, by name, without its record."""
    info = f"callsheet-{version()}.dist-info"
    modules = sorted(path for path in SOURCES.rglob("*") if path.suffix == ".py" or path.name == "py.typed")
    found = {path.relative_to(SOURCES).as_posix(): path.read_bytes() for path in modules}
    found[f"{info}/METADATA"] = metadata().encode()
    found[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: callsheet\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if LICENSE.exists():
        found[f"{info}/LICENSE"] = LICENSE.read_bytes()
    return found


def record(found: Dict[str, bytes], name: str) -> bytes:
    lines: List[str] = []
    for path, content in found.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{name},,", ""]).encode()


def build_wheel(
    wheel_directory: str, config_settings: Optional[Any] = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel into a folder, and returns its name."""
    found = files()
    name = f"callsheet-{version()}.dist-info/RECORD"
    found[name] = record(found, name)
    wheel = f"callsheet-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in found.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Optional[Any] = None) -> str:
    raise SystemExit("the client is built as a wheel only: pip wheel clients/python")


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "dist")
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(str(folder)))
