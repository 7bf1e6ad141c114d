"""Several addresses of a cluster: the next one is used when one is unreachable or unavailable."""

import http.server
import socket
import tempfile
import threading
import unittest
from typing import List, Tuple

from callsheet import Client, ServiceUnreachable
from callsheet.config import find_target
from callsheet.errors import ProblemError
from callsheet.transport import Transport


class Node:
    """A server that answers every request with one status, and records method and path."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.requests: List[Tuple[str, str]] = []
        node = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                node.requests.append((self.command, self.path))
                if node.status == 0:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(node.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            do_GET = do_POST = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class AddressesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {"XDG_CONFIG_HOME": folder.name}

    def node(self, status: int = 200) -> Node:
        node = Node(status)
        self.addCleanup(node.close)
        return node

    def transport(self, *urls: str) -> Transport:
        return Transport(find_target(",".join(urls), environment=self.environment))

    def test_a_list_of_addresses(self) -> None:
        target = find_target(" http://a:1/, https://b ", environment=self.environment)
        self.assertEqual((target.url, target.others), ("http://a:1", ("https://b",)))
        self.assertEqual(Client("http://a:1,http://b:1").url, "http://a:1")

    def test_the_next_address_if_one_cannot_be_reached(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            gone = f"http://127.0.0.1:{closed.getsockname()[1]}"
        alive = self.node()
        transport = self.transport(gone, alive.url)
        transport.request("POST", "/jobs", body={})
        self.assertEqual(transport.url, alive.url, "later requests begin there")
        self.assertEqual(alive.requests, [("POST", "/api/v1/jobs")])

    def test_the_next_address_if_one_is_unavailable(self) -> None:
        away, alive = self.node(503), self.node()
        self.transport(away.url, alive.url).request("GET", "/jobs")
        self.assertEqual(len(alive.requests), 1)
        self.transport(away.url, alive.url).request("POST", "/jobs", headers={"Idempotency-Key": "k"})
        self.assertEqual(len(alive.requests), 2)

    def test_a_write_without_a_key_is_sent_once(self) -> None:
        alive = self.node()
        away, cut = self.node(503), self.node(0)
        with self.assertRaises(ProblemError):
            self.transport(away.url, alive.url).request("POST", "/jobs")
        with self.assertRaises(ServiceUnreachable):
            self.transport(cut.url, alive.url).request("POST", "/jobs")
        self.assertEqual(alive.requests, [])
        self.transport(cut.url, alive.url).request("POST", "/jobs", headers={"idempotency-key": "k"})
        self.assertEqual(len(alive.requests), 1)

    def test_the_problem_of_the_last_address(self) -> None:
        with self.assertRaises(ProblemError) as caught:
            self.transport(self.node(503).url, self.node(503).url).request("GET", "/jobs")
        self.assertEqual(caught.exception.status, 503)


if __name__ == "__main__":
    unittest.main()
