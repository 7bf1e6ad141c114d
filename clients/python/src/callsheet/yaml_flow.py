"""Lists and mappings of YAML in brackets."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

from .yaml_text import FloatWithText, YamlError, YamlLines, resolve

__all__ = ["DEPTH_MAX", "FlowReader"]

DEPTH_MAX = 100


class FlowReader(YamlLines):
    """Reads values in flow style."""

    def flow(self, column: int) -> Tuple[Any, int]:
        """Reads a value in flow style. Returns the column after it; the current line is that of its end."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.error("the document is nested too deeply", column)
        try:
            line = self.lines[self.row]
            first = line[column]
            if first == "[":
                return self.flow_sequence(column + 1)
            if first == "{":
                return self.flow_mapping(column + 1)
            if first in "'\"":
                return self.quoted(column)
            if first in "&*!|>@`%":
                raise self.error(f"{first} is not supported here", column)
            return self.flow_plain(column)
        finally:
            self.depth -= 1

    def flow_next(self, column: int) -> int:
        """Goes to the next character that is neither white space nor part of a comment."""
        while True:
            if not self.is_rest_blank(column):
                return column + self.spaces(column)
            self.row += 1
            column = 0
            if self.row >= len(self.lines) or self.at_end():
                raise self.error("a list or mapping in brackets does not end")

    def flow_sequence(self, column: int) -> Tuple[List[Any], int]:
        items: List[Any] = []
        while True:
            column = self.flow_next(column)
            if self.lines[self.row][column] == "]":
                return items, column + 1
            item, column = self.flow(column)
            column = self.flow_next(column)
            letter = self.lines[self.row][column]
            if letter == ":":
                value, column = self.flow_member(column + 1)
                item = {_key_text(item): value}
                column = self.flow_next(column)
                letter = self.lines[self.row][column]
            items.append(item)
            if letter == "]":
                return items, column + 1
            if letter != ",":
                raise self.error("a comma or ] is missing", column)
            column += 1

    def flow_mapping(self, column: int) -> Tuple[Dict[str, Any], int]:
        members: Dict[str, Any] = {}
        while True:
            column = self.flow_next(column)
            if self.lines[self.row][column] == "}":
                return members, column + 1
            start = column
            key, column = self.flow(column)
            column = self.flow_next(column)
            value = None
            if self.lines[self.row][column] == ":":
                value, column = self.flow_member(column + 1)
                column = self.flow_next(column)
            text = _key_text(key)
            if text in members:
                raise self.error(f"the key {text} occurs twice", start)
            members[text] = value
            letter = self.lines[self.row][column]
            if letter == "}":
                return members, column + 1
            if letter != ",":
                raise self.error("a comma or } is missing", column)
            column += 1

    def flow_member(self, column: int) -> Tuple[Any, int]:
        column = self.flow_next(column)
        return (None, column) if self.lines[self.row][column] in ",}]" else self.flow(column)

    def flow_plain(self, column: int) -> Tuple[Any, int]:
        parts: List[str] = []
        while True:
            line = self.lines[self.row]
            match = re.match(r"(?:[^,\[\]{}:#]|:(?=[^\s,\[\]{}])|(?<=\S)#)*", line[column:])
            text = match[0] if match is not None else ""
            end = column + len(text)
            if text.strip():
                parts.append(text.strip())
            rest = line[end:]
            is_comment = rest.startswith("#")
            if (rest and not is_comment) or is_comment:
                break
            self.row += 1
            if self.row >= len(self.lines):
                raise self.error("a list or mapping in brackets does not end")
            column = 0
        if not parts:
            raise self.error("a value is missing", column)
        return (resolve(parts[0]) if len(parts) == 1 else " ".join(parts)), end


def _key_text(key: Any) -> str:
    if isinstance(key, FloatWithText):
        return key.text
    if isinstance(key, (dict, list)):
        raise YamlError("complex keys are not supported")
    return key if isinstance(key, str) else str(key)
