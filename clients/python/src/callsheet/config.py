"""Address, key, farm and queue: from arguments, variables, and the files of `callsheet context` and `callsheet login`."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple
from urllib.parse import urlsplit

from .errors import ConfigurationError

__all__ = ["Target", "find_target"]

STANDARD_URL = "http://127.0.0.1:8080"
_PORTS = {"http": 80, "https": 443}
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Target:
    """A service with the key and the defaults for it."""

    url: str
    api_key: Optional[str]
    farm: Optional[str]
    """Default farm, by name or id; None for the only one."""
    queue: Optional[str]
    others: Tuple[str, ...] = ()
    """Addresses of the other nodes of a cluster, in the order in which they are tried."""


def find_target(
    url: Optional[str] = None,
    api_key: Optional[str] = None,
    context: Optional[str] = None,
    environment: Optional[Mapping[str, str]] = None,
) -> Target:
    """Returns the service that the command `callsheet` would use with `--url`, `--api-key` and `--context`.

    Raises ConfigurationError if the address is invalid, the context does not exist, or a file can be read by other users.
    """
    variables = os.environ if environment is None else environment
    given = url if url is not None else (variables.get("SVC_URL") or None) if context is None else None
    entry = _context(context, variables)
    if given is not None:
        if entry is not None and service_addresses(entry["url"]) != service_addresses(given):
            entry = None
    else:
        given = entry["url"] if entry is not None else STANDARD_URL
    key = api_key or variables.get("SVC_API_KEY") or (entry or {}).get("key") or _stored_key(given, variables)
    if key is not None and not all(33 <= ord(letter) <= 126 for letter in key):
        raise ConfigurationError("the API key must be printable ASCII without spaces")
    found: Dict[str, Any] = entry or {}
    first, *others = service_addresses(given)
    return Target(first, key, found.get("farm"), found.get("queue"), tuple(others))


def service_addresses(url: str) -> List[str]:
    """Returns the addresses in a text: one, or those of the nodes of a cluster separated by commas."""
    return [service_address(each.strip()) for each in url.split(",") if each.strip()] or [service_address(url)]


def service_address(url: str) -> str:
    """Returns an address without its query, fragment, user and trailing slashes: keys belong to it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(f"{url!r} is not an address: {error}") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ConfigurationError(f"the address must be an http or https address, got {url!r}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    suffix = "" if port is None or port == _PORTS[parts.scheme] else f":{port}"
    return f"{parts.scheme}://{host}{suffix}{parts.path.rstrip('/')}"


def _context(name: Optional[str], variables: Mapping[str, str]) -> Optional[Dict[str, Any]]:
    """Returns the context of this name, or the one in use; None if there is none."""
    path = _private_path("contexts.json", variables)
    document = _read_private(path)
    stored = {"current": None, "contexts": {}} if document is None else document
    contexts = stored.get("contexts")
    if not isinstance(contexts, dict) or (document is not None and stored.get("version") != 1):
        raise ConfigurationError(f"{path}: is not a file of contexts; delete it and run callsheet context add")
    wanted = stored.get("current") if name is None else name
    if wanted is None:
        return None
    entry = contexts.get(wanted)
    if entry is None and name is not None:
        raise ConfigurationError(f"there is no context {name!r}: callsheet context list shows all")
    if not isinstance(entry, dict) or not isinstance(entry.get("url"), str):
        raise ConfigurationError(f"{path}: is not a file of contexts; delete it and run callsheet context add")
    return entry


def _stored_key(url: str, variables: Mapping[str, str]) -> Optional[str]:
    """Returns the key that `callsheet login` has stored for an address; None if there is none."""
    path = _private_path("credentials.json", variables)
    document = _read_private(path)
    if document is None:
        return None
    services = document.get("services")
    if document.get("version") != 1 or not isinstance(services, dict):
        raise ConfigurationError(f"{path}: is not a credentials file; delete it and sign in again")
    # Nodes of a cluster have the same accounts: a key of one of them is valid at all.
    entry = next((services[each] for each in service_addresses(url) if each in services), None)
    key = entry.get("key") if isinstance(entry, dict) else None
    return key if isinstance(key, str) else None


def _private_path(name: str, variables: Mapping[str, str]) -> Path:
    given = variables.get("XDG_CONFIG_HOME") or ""
    home = variables.get("HOME") or str(Path.home())
    folder = Path(given) if os.path.isabs(given) else Path(home) / ".config"
    return folder / "callsheet" / name


def _read_private(path: Path) -> Optional[Dict[str, Any]]:
    """Returns the JSON object of a file that only this user can read; None if it does not exist."""
    try:
        with open(path, encoding="utf-8") as file:
            if os.name == "posix":
                status = os.fstat(file.fileno())
                if status.st_mode & _OTHERS:
                    raise ConfigurationError(f"{path}: can be read by other users; run: chmod 600 {path}")
                if status.st_uid != os.getuid():
                    raise ConfigurationError(f"{path}: belongs to another user")
            document = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path}: cannot be used: {error}") from None
    if not isinstance(document, dict):
        raise ConfigurationError(f"{path}: cannot be used: it is not a JSON object")
    return document
