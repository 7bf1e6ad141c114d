"""Address, key and defaults, from the files of the command."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

from callsheet import ConfigurationError
from callsheet.config import find_target, service_address


class ConfigTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name) / "callsheet"
        self.folder.mkdir()
        self.environment = {"XDG_CONFIG_HOME": place.name}

    def write(self, name: str, document: Any, mode: int = 0o600) -> None:
        path = self.folder / name
        path.write_text(json.dumps(document))
        os.chmod(path, mode)

    def write_contexts(self, **more: Any) -> None:
        north = {"url": "https://north:8443/farm/", "key": "svc_north", "farm": "main", "queue": "render"}
        south = {"url": "http://south:8080", "key": None, "farm": None, "queue": None}
        self.write("contexts.json", {"version": 1, "current": "north", "contexts": {"north": north, "south": south}, **more})

    def test_nothing_is_the_standard_address(self) -> None:
        target = find_target(environment=self.environment)
        self.assertEqual((target.url, target.api_key), ("http://127.0.0.1:8080", None))

    def test_the_context_in_use(self) -> None:
        self.write_contexts()
        target = find_target(environment=self.environment)
        self.assertEqual(target.url, "https://north:8443/farm")
        self.assertEqual((target.api_key, target.farm, target.queue), ("svc_north", "main", "render"))

    def test_another_address_has_no_key_of_the_context(self) -> None:
        self.write_contexts()
        for target in (
            find_target("http://other:8080", environment=self.environment),
            find_target(environment={**self.environment, "SVC_URL": "http://other:8080"}),
        ):
            self.assertEqual((target.url, target.api_key, target.farm), ("http://other:8080", None, None))
        same = find_target("https://NORTH:8443/farm", environment=self.environment)
        self.assertEqual(same.api_key, "svc_north")

    def test_a_named_context_precedes_the_variable(self) -> None:
        self.write_contexts()
        self.write("credentials.json", {"version": 1, "services": {"http://south:8080": {"key": "svc_south"}}})
        target = find_target(context="south", environment={**self.environment, "SVC_URL": "http://other"})
        self.assertEqual((target.url, target.api_key), ("http://south:8080", "svc_south"))
        with self.assertRaisesRegex(ConfigurationError, "there is no context 'east'"):
            find_target(context="east", environment=self.environment)

    def test_the_order_of_keys(self) -> None:
        self.write_contexts()
        variable = {**self.environment, "SVC_API_KEY": "svc_variable"}
        self.assertEqual(find_target(environment=variable).api_key, "svc_variable")
        self.assertEqual(find_target(api_key="svc_given", environment=variable).api_key, "svc_given")
        with self.assertRaises(ConfigurationError):
            find_target(api_key="a b", environment=variable)

    def test_files_of_others_and_invalid_files_are_refused(self) -> None:
        self.write("contexts.json", {"version": 1, "current": None, "contexts": {}}, mode=0o644)
        with self.assertRaisesRegex(ConfigurationError, "can be read by other users"):
            find_target(environment=self.environment)
        self.write("contexts.json", {"version": 2, "current": None, "contexts": {}})
        os.chmod(self.folder / "contexts.json", 0o600)
        with self.assertRaisesRegex(ConfigurationError, "is not a file of contexts"):
            find_target(environment=self.environment)

    def test_addresses(self) -> None:
        self.assertEqual(service_address("HTTP://User@Host:80/a/?b#c"), "http://host/a")
        self.assertEqual(service_address("https://[::1]:8443"), "https://[::1]:8443")
        for invalid in ("host:8080", "ftp://host", "http://", "http://host:port"):
            with self.assertRaises(ConfigurationError):
                service_address(invalid)


if __name__ == "__main__":
    unittest.main()
