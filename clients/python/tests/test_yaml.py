"""The YAML reader: values, and errors for all that it does not read."""

import random
import unittest

from callsheet.yaml_reader import FloatWithText, YamlError, read_yaml

VALUES = {
    "": None,
    "a: 'x''y'": {"a": "x'y"},
    'a: "x\\n\\u0041"': {"a": "x\nA"},
    'a: "x\\\n  y"': {"a": "xy"},
    "a: 'one\n  two'": {"a": "one two"},
    "a: [1, {b: c}, 'd', ]": {"a": [1, {"b": "c"}, "d"]},
    "a: {b: 1, c, 'd': [x y, z]}": {"a": {"b": 1, "c": None, "d": ["x y", "z"]}},
    "a: [ # comment\n  1,\n  2 ]\nb: 3": {"a": [1, 2], "b": 3},
    "- a\n- - b\n  - c\n-\n  d: e\n": ["a", ["b", "c"], {"d": "e"}],
    "a:\n- b\n- c\nd: e": {"a": ["b", "c"], "d": "e"},
    "a:\n  - b: 1\n    c: 2\n  - d": {"a": [{"b": 1, "c": 2}, "d"]},
    "a: b\n  c\n\n  d\n": {"a": "b c\nd"},
    "a: >\n  x\n  y\n\n  z\n   w\n  v\nb: |-\n  q\n": {"a": "x y\nz\n w\nv\n", "b": "q"},
    "a: |2\n   x\n  y\n": {"a": " x\ny\n"},
    "a: |+\n  x\n\n": {"a": "x\n\n"},
    "a: http://x/y#z # c": {"a": "http://x/y#z"},
    "--- \na: b\n...\n": {"a": "b"},
    "'q: r': s": {"q: r": "s"},
    "a: True\nb: no\nc: ~\nd: 0x1F\ne: -07": {"a": True, "b": "no", "c": None, "d": 31, "e": -7},
    "a: C:\\shots\\a.blend": {"a": "C:\\shots\\a.blend"},
}

ERRORS = [
    "? x", "a: &b c", "a: *b", "a: !!str b", "%YAML 1.2\n---\na: b", "a: b\n---\nc: d", "a: b: c", "a: b\n c: d", "a: - b",
    "\ta: b", "a: [1", "a: {b: [}", "a: 'x", '"', "a: 1\na: 2", "[a]: b", "x\ny: z", "- a\nb: c", "a: @x", "a: [" * 200,
]  # fmt: skip


class YamlTest(unittest.TestCase):
    def test_values(self) -> None:
        for text, value in VALUES.items():
            with self.subTest(text):
                self.assertEqual(read_yaml(text), value)

    def test_errors(self) -> None:
        for text in ERRORS:
            with self.subTest(text):
                with self.assertRaises(YamlError):
                    read_yaml(text)

    def test_numbers_keep_their_digits(self) -> None:
        value = read_yaml("1.50")
        self.assertIsInstance(value, FloatWithText)
        self.assertEqual((value, value.text), (1.5, "1.50"))

    def test_errors_name_their_place(self) -> None:
        with self.assertRaisesRegex(YamlError, "line 2, column 4: anchors"):
            read_yaml("a: b\nc: &d e")

    def test_any_text_has_a_value_or_an_error(self) -> None:
        source = random.Random(1)
        for _ in range(20_000):
            text = "".join(source.choice("ab: -#'\"[]{},\n |>\\&*!?%\t1.") for _ in range(source.randint(1, 14)))
            try:
                read_yaml(text)
            except YamlError:
                pass


if __name__ == "__main__":
    unittest.main()
