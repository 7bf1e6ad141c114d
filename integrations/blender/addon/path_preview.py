"""Which path a file has at each compute location. Without Blender, so that it is tested alone."""


def _is_windows(path):
    return len(path) > 1 and (path[1] == ":" or path.startswith("\\\\"))


def rest_below(root, path):
    """Returns the names of a path below a root as a list; None if it is not below it."""
    windows = _is_windows(root)
    if windows != _is_windows(path):
        return None

    def names(text):
        return [name for name in (text.replace("\\", "/") if windows else text).split("/") if name]

    roots, parts = names(root), names(path)
    head = parts[: len(roots)]
    same = [name.lower() for name in head] == [name.lower() for name in roots] if windows else head == roots
    return parts[len(roots) :] if same else None


def path_preview(path, storage_locations):
    """Returns (compute location, path there) for each root of the storage location that holds a path; none if there is none.

    The longest root wins, as for the leases of workers (docs/paths.md).
    """
    found = [
        (len(root), location, rest)
        for location in storage_locations
        for root in location["roots"].values()
        for rest in [rest_below(root, path)]
        if rest is not None
    ]
    if not found:
        return []
    _, location, rest = max(found, key=lambda each: each[0])
    return [
        (place, ("\\" if _is_windows(root) else "/").join([root.rstrip("/\\"), *rest]))
        for place, root in sorted(location["roots"].items())
    ]
