"""The asynchronous client has the calls of the other one, with the same parameters."""

import inspect
import unittest

from callsheet import AsyncClient, Client

# Parts of calls for the asynchronous client.
INTERNAL = {"job_look", "log_lines"}


class AsyncClientTest(unittest.TestCase):
    def test_all_calls_exist_with_the_same_parameters(self) -> None:
        calls = {name for name, _ in inspect.getmembers(Client, callable) if not name.startswith("_")}
        self.assertGreater(len(calls), 25)
        for name in sorted(calls - INTERNAL):
            with self.subTest(name):
                there, here = inspect.signature(getattr(Client, name)), inspect.signature(getattr(AsyncClient, name))
                self.assertEqual(
                    [(each.name, each.kind, each.default) for each in list(there.parameters.values())[1:]],
                    [(each.name, each.kind, each.default) for each in list(here.parameters.values())[1:]],
                )

    def test_calls_are_documented_and_awaited(self) -> None:
        self.assertTrue(inspect.iscoroutinefunction(AsyncClient.submit_bundle))
        self.assertEqual(AsyncClient.submit_bundle.__doc__, Client.submit_bundle.__doc__)


if __name__ == "__main__":
    unittest.main()
