"""A reader for the YAML of job bundles (YAML 1.2, core schema), because the standard library has none.

It reads mappings and lists in block and flow style, plain and quoted scalars, and literal and folded blocks. It raises YamlError for
anchors, aliases, tags, complex keys, directives and several documents, which it never guesses at.
"""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple

from .yaml_flow import DEPTH_MAX, FlowReader
from .yaml_text import FloatWithText, YamlError, resolve

__all__ = ["FloatWithText", "YamlError", "read_yaml"]


def read_yaml(text: str) -> Any:
    """Returns the value of a document. Numbers with a fraction or an exponent are FloatWithText."""
    return _Reader(text).document()


class _Reader(FlowReader):
    """Reads nodes in block style."""

    def document(self) -> Any:
        if not self.skip_blank():
            return None
        if self.lines[self.row].startswith("%"):
            raise self.error("directives are not supported")
        if re.match(r"---(\s|$)", self.lines[self.row]):
            rest = self.lines[self.row][3:]
            # The marker becomes blank, so that content after it keeps its column.
            self.lines[self.row] = "   " + rest
        if not self.skip_blank():
            return None
        value = self.node(self.indent(), -1)
        if self.skip_blank():
            line = self.lines[self.row]
            if re.match(r"\.\.\.(\s|$)", line):
                self.row += 1
                if not self.skip_blank():
                    return value
            raise self.error("several documents are not supported" if line.startswith("---") else "unexpected text")
        return value

    def skip_blank(self) -> bool:
        """Goes to the next line with content. Returns False at the end."""
        while self.row < len(self.lines):
            line = self.lines[self.row].strip()
            if line and not line.startswith("#"):
                return True
            self.row += 1
        return False

    def indent(self) -> int:
        line = self.lines[self.row]
        indent = len(line) - len(line.lstrip(" "))
        if line[indent : indent + 1] == "\t":
            raise self.error("tabs are not allowed as indentation", indent)
        return indent

    def node(self, column: int, parent: int) -> Any:
        """Reads the node at a column of the current line, which may be a mapping or a list in block style."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.error("the document is nested too deeply", column)
        try:
            line = self.lines[self.row]
            if re.match(r"-(\s|$)", line[column:]):
                return self.sequence(column)
            if self.key_end(column) is not None:
                return self.mapping(column)
            return self.value(column, parent)
        finally:
            self.depth -= 1

    def sequence(self, column: int) -> List[Any]:
        items: List[Any] = []
        while True:
            start = column + 1 + self.spaces(column + 1)
            if self.is_rest_blank(start):
                self.row += 1
                items.append(self.below(column, False))
            else:
                items.append(self.node(start, column))
            if not self.skip_blank() or self.at_end():
                return items
            indent = self.indent()
            if indent < column or (indent == column and not re.match(r"-(\s|$)", self.lines[self.row][column:])):
                return items
            if indent > column:
                raise self.error("the indentation is not that of the list", indent)

    def mapping(self, column: int) -> Dict[str, Any]:
        members: Dict[str, Any] = {}
        while True:
            end = self.key_end(column)
            if end is None:
                raise self.error("a key with a colon is missing", column)
            key, after = end
            if key in members:
                raise self.error(f"the key {key} occurs twice", column)
            start = after + self.spaces(after)
            if self.is_rest_blank(start):
                self.row += 1
                members[key] = self.below(column, True)
            else:
                members[key] = self.value(start, column)
            if not self.skip_blank() or self.at_end():
                return members
            indent = self.indent()
            if indent < column:
                return members
            if indent > column:
                raise self.error("the indentation is not that of the mapping", indent)

    def below(self, column: int, is_member: bool) -> Any:
        """Reads the node in the lines below a key or a dash; None if there is none."""
        if not self.skip_blank() or self.at_end():
            return None
        indent = self.indent()
        is_list = is_member and indent == column and re.match(r"-(\s|$)", self.lines[self.row][indent:])
        if indent > column or is_list:
            return self.node(indent, column - 1 if is_list else column)
        return None

    def key_end(self, column: int) -> Optional[Tuple[str, int]]:
        """Returns the key at a column and the column after its colon; None if no key is there."""
        line = self.lines[self.row]
        first = line[column : column + 1]
        if first in ("'", '"'):
            quoted = self.quoted_in_line(column)
            if quoted is None:
                return None
            text, end = quoted
            end += self.spaces(end)
            return (text, end + 1) if re.match(r":(\s|$)", line[end:]) else None
        if first in ("[", "{", "|", ">", "#", "&", "*", "!", "%", "@", "`"):
            return None
        if re.match(r"\?(\s|$)", line[column:]):
            raise self.error("complex keys are not supported", column)
        match = re.match(r"(?P<key>(?:[^:#\s]|:(?=\S)|(?<=\S)#|[ \t]+(?=[^#\s]))*?)[ \t]*:(?=\s|$)", line[column:])
        if match is None or (match["key"] == "" and first != ":"):
            return None
        return match["key"].rstrip(), column + match.end()

    def quoted_in_line(self, column: int) -> Optional[Tuple[str, int]]:
        row = self.row
        try:
            text, end = self.quoted(column)
            return (text, end) if self.row == row else None
        finally:
            self.row = row

    def value(self, column: int, parent: int) -> Any:
        """Reads a scalar or a flow collection, and goes to the line after it."""
        line = self.lines[self.row]
        first = line[column]
        if first in "&*!":
            raise self.error("anchors, aliases and tags are not supported", column)
        if first in "|>":
            return self.block(column, parent)
        if first in "@`%":
            raise self.error(f"a plain text must not begin with {first}", column)
        if first in "[{\"'":
            value, end = self.flow(column) if first in "[{" else self.quoted(column)
            if not self.is_rest_blank(end):
                raise self.error("unexpected text", end)
            self.row += 1
            return value
        if re.match(r"[-?:](\s|$)", line[column:]):
            raise self.error("a list or a key cannot begin here", column)
        return self.plain(column, parent)

    def plain(self, column: int, parent: int) -> Any:
        parts = [self.plain_line(column)]
        self.row += 1
        blank = 0
        while not parts[-1][1] and self.row < len(self.lines):
            line = self.lines[self.row]
            stripped = line.strip()
            if stripped == "":
                blank += 1
                self.row += 1
                continue
            indent = len(line) - len(line.lstrip(" "))
            if indent <= parent or stripped.startswith("#") or self.at_end():
                break
            if self.key_end(indent + self.spaces(indent)) is not None:
                raise self.error("a key is not allowed in a text of several lines", indent)
            text, ends = self.plain_line(indent)
            joined = f"{parts[-1][0]}{chr(10) * blank if blank else ' '}{text}"
            parts.append((joined, ends))
            blank = 0
            self.row += 1
        text = parts[-1][0]
        return resolve(text) if len(parts) == 1 else text

    def plain_line(self, column: int) -> Tuple[str, bool]:
        """Returns the text of a line without its comment, and whether there was one."""
        line = self.lines[self.row][column:]
        comment = re.search(r"(?<=\s)#", line)
        text = (line if comment is None else line[: comment.start()]).strip()
        if re.search(r":(\s|$)", text):
            raise self.error("a colon is not allowed here: quote the text", column)
        return text, comment is not None

    def block(self, column: int, parent: int) -> str:
        """Reads a literal or folded block."""
        header = re.match(r"(?P<style>[|>])(?P<marks>[-+1-9]{0,2})[ \t]*(?:#.*)?$", self.lines[self.row][column:])
        if header is None:
            raise self.error("the head of the block is not valid", column)
        marks = header["marks"]
        digits = [int(mark) for mark in marks if mark.isdigit()]
        self.row += 1
        indent = max(parent, 0) + digits[0] if digits else None
        if digits and parent < 0:
            indent = digits[0]
        lines: List[str] = []
        while self.row < len(self.lines):
            line = self.lines[self.row]
            width = len(line) - len(line.lstrip(" "))
            if line.strip(" ") == "" and (indent is None or width <= indent):
                lines.append("")
            else:
                if indent is None and width > parent:
                    indent = width
                if indent is None or width < indent or (indent == 0 and self.at_end()):
                    break
                lines.append(line[indent:])
            self.row += 1
        if self.row == len(self.lines) and lines and self.lines[-1] == "" and lines[-1] == "":
            # The text ends with a line feed: the empty string after it is not a line.
            lines.pop()
        body = list(lines)
        trailing = 0
        while body and body[-1] == "":
            body.pop()
            trailing += 1
        text = "\n".join(body) if header["style"] == "|" else _folded(body)
        if "+" in marks:
            return text + "\n" * (trailing + (1 if body else 0))
        ends_document = self.row == len(self.lines) and trailing == 0 and self.lines[-1] != ""
        return text if "-" in marks or not body or ends_document else text + "\n"


def _folded(lines: List[str]) -> str:
    """Joins the lines of a folded block: more indented lines and empty ones keep their line feeds."""
    text = ""
    blank = 0
    previous: Optional[str] = None
    for line in lines:
        if line == "":
            blank += 1
            continue
        is_deep = line[0] in " \t"
        if previous is None:
            text += "\n" * blank
        elif is_deep or previous[0] in " \t":
            text += "\n" * (blank + 1)
        else:
            text += "\n" * blank if blank else " "
        text += line
        previous, blank = line, 0
    return text
