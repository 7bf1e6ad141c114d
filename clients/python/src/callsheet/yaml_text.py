"""Scalars of YAML, and a cursor over the lines of a document."""

from __future__ import annotations

import re
from typing import Any, List, Tuple

__all__ = ["FloatWithText", "YamlError", "YamlLines", "resolve"]

_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_WORDS = {"null": None, "Null": None, "NULL": None, "~": None, "": None}
_WORDS_OF_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", "\t": "\t",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}


class YamlError(ValueError):
    """The text is not valid, or uses a part of YAML that this reader does not have. Names line and column, from 1."""


class FloatWithText(float):
    """A number that keeps its digits."""

    def __new__(cls, text: str) -> "FloatWithText":
        number = super().__new__(cls, text.replace(".inf", "inf").replace(".Inf", "inf").replace(".nan", "nan"))
        number.text = text
        return number

    text: str


def resolve(text: str) -> Any:
    """Returns the value of a plain scalar in the core schema."""
    if text in _WORDS:
        return None
    if text in _WORDS_OF_TRUTH:
        return _WORDS_OF_TRUTH[text]
    if _INTEGER.match(text):
        return int(text)
    if re.match(r"0o[0-7]+\Z", text):
        return int(text[2:], 8)
    if re.match(r"0x[0-9a-fA-F]+\Z", text):
        return int(text[2:], 16)
    if _FLOAT.match(text):
        return FloatWithText(text)
    if _SPECIAL.match(text):
        return FloatWithText(text.lower())
    return text


class YamlLines:
    """The lines of a document, and the current one."""

    def __init__(self, text: str) -> None:
        self.lines = text.lstrip("\ufeff").replace("\r\n", "\n").split("\n")
        self.row = 0
        self.depth = 0

    def error(self, text: str, column: int = 0) -> YamlError:
        return YamlError(f"line {self.row + 1}, column {column + 1}: {text}")

    def at_end(self) -> bool:
        return bool(re.match(r"(---|\.\.\.)(\s|$)", self.lines[self.row]))

    def spaces(self, column: int) -> int:
        rest = self.lines[self.row][column:]
        return len(rest) - len(rest.lstrip(" \t"))

    def is_rest_blank(self, column: int) -> bool:
        line = self.lines[self.row]
        rest = line[column:].strip()
        needs_space = column > 0 and line[column - 1] not in " \t"
        return rest == "" or re.match(r"\s+#" if needs_space else r"\s*#", line[column:]) is not None

    def quoted(self, column: int) -> Tuple[str, int]:
        """Reads a quoted text, which may have several lines. Returns the column after it."""
        quote = self.lines[self.row][column]
        pieces: List[str] = []
        at = column + 1
        first_row, first_column = self.row, column
        while True:
            line = self.lines[self.row]
            while at < len(line):
                letter = line[at]
                if letter == quote:
                    if quote == "'" and line[at + 1 : at + 2] == "'":
                        pieces.append("'")
                        at += 2
                        continue
                    return "".join(pieces), at + 1
                if quote == '"' and letter == "\\" and at + 1 < len(line):
                    text, at = self.escape(line, at)
                    pieces.append(text)
                else:
                    pieces.append(letter)
                    at += 1
            is_continued = quote == '"' and _ends_with_escape(line, column if self.row == first_row else 0)
            if is_continued:
                pieces.pop()
            blank = 0
            self.row += 1
            while self.row < len(self.lines) and self.lines[self.row].strip() == "":
                blank += 1
                self.row += 1
            if self.row >= len(self.lines):
                self.row = first_row
                raise self.error("the quoted text does not end", first_column)
            if not is_continued:
                folded = "".join(pieces).rstrip(" \t") if pieces and pieces[-1] in (" ", "\t") else "".join(pieces)
                pieces = [folded, "\n" * blank if blank else " "]
            next_line = self.lines[self.row]
            at = len(next_line) - len(next_line.lstrip(" \t"))

    def escape(self, line: str, at: int) -> Tuple[str, int]:
        letter = line[at + 1]
        if letter in _HEX:
            digits = line[at + 2 : at + 2 + _HEX[letter]]
            if re.fullmatch(r"[0-9a-fA-F]+", digits) is None or len(digits) < _HEX[letter]:
                raise self.error("the escape is not valid", at)
            return chr(int(digits, 16)), at + 2 + _HEX[letter]
        if letter not in _ESCAPES:
            raise self.error(f"the escape \\{letter} is not valid", at)
        return _ESCAPES[letter], at + 2


def _ends_with_escape(line: str, start: int) -> bool:
    match = re.search(r"\\+\Z", line[start:])
    return match is not None and len(match[0]) % 2 == 1
