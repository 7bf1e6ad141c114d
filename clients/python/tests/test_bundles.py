"""Job bundles: paths, reserved values and errors, as in test/cli/bundles of the command."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from callsheet import InvalidBundle, read_bundle

TEMPLATE = """
specificationVersion: jobtemplate-2023-09
name: bundle
parameterDefinitions:
  - { name: Scripts, type: PATH, objectType: DIRECTORY, dataFlow: IN, default: scripts }
  - { name: Scene, type: PATH, objectType: FILE, dataFlow: IN }
  - { name: Kind, type: PATH, allowedValues: [low, high], default: low }
  - { name: Textures, type: 'LIST[PATH]', default: [a.exr, /lib/b.exr] }
  - { name: Empty, type: PATH, default: '' }
  - { name: Title, type: STRING, default: scripts }
steps: []
"""


class BundleTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(os.path.realpath(place.name)) / "bundle"
        self.folder.mkdir()
        self.write("template.yaml", TEMPLATE)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def write_values(self, **values: object) -> None:
        entries = [{"name": name.replace("__", ":"), "value": value} for name, value in values.items()]
        self.write("parameter_values.json", json.dumps({"parameterValues": entries}))

    def test_relative_paths_are_in_the_folder(self) -> None:
        self.write_values(Scene="shot.blend", Title="scripts/x", Ratio=1.50)
        bundle = read_bundle(self.folder)
        self.assertEqual(
            bundle.parameters,
            {
                "Scripts": str(self.folder / "scripts"),
                "Scene": str(self.folder / "shot.blend"),
                "Textures": json.dumps([str(self.folder / "a.exr"), "/lib/b.exr"]),
                "Title": "scripts/x",
                "Ratio": "1.5",
            },
        )
        self.assertEqual(bundle.notes, ["the default of Textures is not in the bundle: /lib/b.exr"])

    def test_absolute_and_fixed_values_stay(self) -> None:
        self.write_values(Scripts="/studio", Scene="C:\\a.blend", Kind="high", Textures='["b.exr"]')
        parameters = read_bundle(self.folder).parameters
        self.assertEqual((parameters["Scripts"], parameters["Scene"], parameters["Kind"]), ("/studio", "C:\\a.blend", "high"))
        self.assertEqual(parameters["Textures"], json.dumps([str(self.folder / "b.exr")]))

    def test_given_paths_are_in_the_working_directory(self) -> None:
        given = read_bundle(self.folder).given({"Scene": "shot.blend", "Title": "shot.blend", "Kind": "high", "Count": 3})
        self.assertEqual(given["Scene"], os.path.join(os.getcwd(), "shot.blend"))
        self.assertEqual((given["Title"], given["Kind"], given["Count"]), ("shot.blend", "high", "3"))

    def test_defaults_must_stay_inside(self) -> None:
        (self.folder / "scripts").symlink_to("/tmp")
        with self.assertRaisesRegex(InvalidBundle, "scripts leads out of the bundle"):
            read_bundle(self.folder)
        self.write("template.yaml", TEMPLATE.replace("default: scripts }", "default: ../x }"))
        with self.assertRaisesRegex(InvalidBundle, r"\.\./x leads out of the bundle"):
            read_bundle(self.folder)

    def test_reserved_values_are_settings(self) -> None:
        self.write_values(
            deadline__priority=70,
            deadline__maxRetriesPerTask=5,
            deadline__maxFailedTasksCount=0,
            deadline__targetTaskRunStatus="SUSPENDED",
            deadline__maxWorkerCount=3,
        )
        bundle = read_bundle(self.folder)
        self.assertEqual(
            bundle.settings, {"priority": 70, "max_attempts": 6, "failure_limit": 1, "paused": True}
        )
        self.assertIn("the value of deadline:maxWorkerCount is ignored", bundle.notes)

    def test_hooks_do_not_run(self) -> None:
        self.write("hooks.yaml", 'version: "1.0"\npreSubmission: [{ command: python3 }]\n')
        note = f"the hooks of the bundle do not run: {self.folder / 'hooks.yaml'}"
        self.assertEqual(read_bundle(self.folder).notes[-1], note)

    def test_invalid_files_are_errors(self) -> None:
        self.write("asset_references.yaml", "assetReferences: { inputs: { filenames: [shot.blend] } }\n")
        with self.assertRaisesRegex(InvalidBundle, "do not exist: shot.blend"):
            read_bundle(self.folder)
        read_bundle(self.folder, allow_missing_assets=True)
        self.write("parameter_values.yaml", "parameterValues: [{ name: Scene }]\n")
        with self.assertRaisesRegex(InvalidBundle, "/parameterValues/0: must have a name and a value"):
            read_bundle(self.folder)
        self.write("template.json", "{}")
        with self.assertRaisesRegex(InvalidBundle, "contains both"):
            read_bundle(self.folder)


if __name__ == "__main__":
    unittest.main()
