"""Job bundles: a folder with a template, values of its parameters, and the files that the job reads and writes.

The rules are those of `callsheet submit FOLDER` (docs/commands.md#job-bundles).
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

from .errors import InvalidBundle
from .yaml_reader import FloatWithText, YamlError, read_yaml

__all__ = ["JobBundle", "PathParameter", "ParameterValue", "parameter_text", "read_bundle"]

ParameterValue = Union[str, int, float, bool, "os.PathLike[str]", List[Any]]

_EXTENSIONS = ("yaml", "yml", "json")
_RESERVED = "deadline:"
_PLACED = re.compile(r"([A-Za-z]:|\\\\|[a-z][a-z0-9+.-]*://)")


@dataclass(frozen=True)
class PathParameter:
    """A job parameter that holds a path, or a list of paths."""

    name: str
    is_list: bool
    is_fixed: bool
    """Values must be among those of the template, so they stay as they are."""
    default: Any


@dataclass(frozen=True)
class JobBundle:
    """A bundle as read. All paths of its parameters are absolute."""

    folder: Path
    template: str
    format: str
    """`yaml` or `json`."""
    parameters: Dict[str, str]
    paths: List[PathParameter]
    settings: Dict[str, Union[int, bool]]
    """`priority`, `paused`, `max_attempts` and `failure_limit`, as far as `parameter_values` sets them."""
    notes: List[str]
    """Sentences about ignored values and hooks, and absolute defaults."""

    def given(self, values: Mapping[str, ParameterValue]) -> Dict[str, str]:
        """Returns values of the caller as text: their relative paths are relative to the working directory."""
        paths = {path.name: path for path in self.paths}
        return {
            name: _absolute_value(Path.cwd(), paths[name], parameter_text(value))
            if name in paths
            else parameter_text(value)
            for name, value in values.items()
        }


def parameter_text(value: ParameterValue) -> str:
    """Returns the value of a job parameter as the REST API takes it: a list as JSON, a boolean as true or false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return json.dumps([_item(item) for item in value], ensure_ascii=False)
    if isinstance(value, FloatWithText):
        return value.text
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a parameter must be text, a number, a boolean, a path or a list, got {type(value).__name__}")


def _item(item: Any) -> Any:
    return os.fspath(item) if isinstance(item, os.PathLike) else item


def read_bundle(folder: Union[str, "os.PathLike[str]"], *, allow_missing_assets: bool = False) -> JobBundle:
    """Reads a job bundle. Relative paths in it are relative to the folder.

    Raises InvalidBundle if a file is missing, ambiguous or invalid, a default leads out of the folder, or an input file does not
    exist and `allow_missing_assets` is False.
    """
    place = Path(os.path.abspath(folder))
    template = _file(place, "template")
    if template is None:
        raise InvalidBundle(f"{folder}: is not a job bundle: it has no template.yaml or template.json")
    text = _text(template)
    paths = _path_parameters(_parsed(template, text))
    parameters, notes = _defaults(place, paths)
    by_name = {path.name: path for path in paths}
    reserved: Dict[str, str] = {}
    for name, value in _values(place).items():
        if ":" in name:
            reserved[name] = value
        else:
            parameters[name] = _absolute_value(place, by_name[name], value) if name in by_name else value
    _check_assets(place, allow_missing_assets)
    settings = _settings(reserved)
    notes += [f"the value of {name} is ignored" for name in reserved]
    hooks = _file(place, "hooks")
    if hooks is not None:
        notes.append(f"the hooks of the bundle do not run: {hooks}")
    return JobBundle(
        folder=place,
        template=text,
        format="json" if template.suffix == ".json" else "yaml",
        parameters=parameters,
        paths=paths,
        settings=settings,
        notes=notes,
    )


def _file(folder: Path, name: str) -> Optional[Path]:
    found = [path for path in (folder / f"{name}.{ending}" for ending in _EXTENSIONS) if path.exists()]
    if len(found) > 1:
        raise InvalidBundle(f"{folder}: contains both {' and '.join(map(str, found))}; delete one")
    return found[0] if found else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidBundle(f"{path}: cannot be read: {error}") from error


def _parsed(path: Path, text: str) -> Any:
    try:
        return json.loads(text, parse_float=FloatWithText) if path.suffix == ".json" else read_yaml(text)
    except (YamlError, ValueError) as error:
        raise InvalidBundle(f"{path}: {error}") from error


def _path_parameters(template: Any) -> List[PathParameter]:
    definitions = template.get("parameterDefinitions") if isinstance(template, dict) else None
    found = []
    for definition in definitions if isinstance(definitions, list) else []:
        name, kind = (definition.get(key) for key in ("name", "type")) if isinstance(definition, dict) else (None, None)
        kind = kind.upper().replace(" ", "") if isinstance(kind, str) else None
        if isinstance(name, str) and kind in ("PATH", "LIST[PATH]"):
            is_fixed = "allowedValues" in definition
            found.append(PathParameter(name, kind != "PATH", is_fixed, definition.get("default")))
    return found


def _defaults(folder: Path, paths: List[PathParameter]) -> "tuple[Dict[str, str], List[str]]":
    """Returns the values that relative defaults have in the folder, and sentences about absolute ones."""
    values: Dict[str, str] = {}
    notes: List[str] = []
    for path in paths:
        defaults = path.default if path.is_list else [path.default]
        if path.is_fixed or not isinstance(defaults, list) or not all(isinstance(text, str) for text in defaults):
            continue
        for text in defaults:
            if not _is_placed(text) and not _is_inside(folder, text):
                raise InvalidBundle(f"{path.name}: the default {text} leads out of the bundle {folder}")
            if text != "" and _is_placed(text):
                notes.append(f"the default of {path.name} is not in the bundle: {text}")
        if not all(map(_is_placed, defaults)):
            values[path.name] = _absolute_value(folder, path, parameter_text(path.default))
    return values, notes


def _is_placed(path: str) -> bool:
    """Reports whether a path stays as it is: an absolute path of any system, a URI, and the empty value."""
    return path == "" or path.startswith("/") or os.path.isabs(path) or _PLACED.match(path) is not None


def _is_inside(folder: Path, path: str) -> bool:
    real = os.path.realpath(folder)
    return os.path.commonpath([real, os.path.realpath(os.path.join(real, path))]) == real


def _absolute_value(folder: Path, parameter: PathParameter, value: str) -> str:
    if parameter.is_fixed:
        return value
    if not parameter.is_list:
        return value if _is_placed(value) else os.path.abspath(folder / value)
    try:
        items = json.loads(value)
    except ValueError:
        return value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return value
    return parameter_text([item if _is_placed(item) else os.path.abspath(folder / item) for item in items])


def _values(folder: Path) -> Dict[str, str]:
    path = _file(folder, "parameter_values")
    if path is None:
        return {}
    document = _parsed(path, _text(path))
    entries = document.get("parameterValues") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise InvalidBundle(f"{path}: must contain the list parameterValues")
    values: Dict[str, str] = {}
    for at, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or entry.get("value") is None:
            raise InvalidBundle(f"{path}: /parameterValues/{at}: must have a name and a value")
        try:
            values[entry["name"]] = parameter_text(entry["value"])
        except TypeError as error:
            raise InvalidBundle(f"{path}: /parameterValues/{at}/value: {error}") from None
    return values


def _check_assets(folder: Path, allow_missing: bool) -> None:
    """Checks that the input files and folders of `asset_references` exist."""
    path = _file(folder, "asset_references")
    if path is None:
        return
    document = _parsed(path, _text(path))
    references = document.get("assetReferences") if isinstance(document, dict) else None
    if not isinstance(references, dict):
        raise InvalidBundle(f"{path}: must contain the mapping assetReferences")
    inputs = references.get("inputs")
    if allow_missing or not isinstance(inputs, dict):
        return
    listed = [item for kind in ("filenames", "directories") for item in inputs.get(kind) or []]
    missing = [item for item in listed if not isinstance(item, str) or not (folder / item).exists()]
    if missing:
        raise InvalidBundle(f"{path}: inputs that do not exist: {', '.join(map(str, missing))}")


def _settings(reserved: Dict[str, str]) -> Dict[str, Union[int, bool]]:
    """Takes the settings out of the values under reserved names."""
    settings: Dict[str, Union[int, bool]] = {}
    numbers: Dict[str, int] = {}
    for name in ("priority", "maxRetriesPerTask", "maxFailedTasksCount"):
        text = reserved.pop(_RESERVED + name, None)
        if text is None:
            continue
        if re.fullmatch(r"-?[0-9]{1,9}", text) is None:
            raise InvalidBundle(f"{_RESERVED}{name}: must be a whole number, got {text!r}")
        numbers[name] = int(text)
    if "priority" in numbers:
        settings["priority"] = numbers["priority"]
    if "maxRetriesPerTask" in numbers:
        settings["max_attempts"] = numbers["maxRetriesPerTask"] + 1
    if "maxFailedTasksCount" in numbers:
        # 0 is the first failure there, and no limit here.
        settings["failure_limit"] = max(numbers["maxFailedTasksCount"], 1)
    status = reserved.pop(_RESERVED + "targetTaskRunStatus", None)
    if status is not None:
        settings["paused"] = status == "SUSPENDED"
    return settings
