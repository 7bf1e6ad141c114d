"""A stream that is closed while it opens its connection leaves no connection open."""

import base64
import hashlib
import socket
import threading
import unittest
from typing import List

from callsheet import Client, EventStream


class StreamsTest(unittest.TestCase):
    """A server that replies to a request only after the client has closed its stream."""

    def setUp(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.client = Client(f"http://127.0.0.1:{self.server.getsockname()[1]}")

    def accept(self) -> "tuple[socket.socket, bytes]":
        connection, _ = self.server.accept()
        self.addCleanup(connection.close)
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        return connection, request

    def test_a_log(self) -> None:
        lines = self.client.log_lines("0198a1c2-1111-7111-8111-111111111111")
        read: List[bytes] = []
        reader = threading.Thread(target=lambda: read.extend(lines))
        reader.start()
        connection, _ = self.accept()
        lines.close()
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        self.assertEqual(connection.recv(1), b"", "the client has closed the connection")
        reader.join()
        self.assertEqual(read, [])

    def test_events(self) -> None:
        stream: EventStream = self.client.events("jobs")
        read: List[object] = []
        reader = threading.Thread(target=lambda: read.extend(stream))
        reader.start()
        connection, request = self.accept()
        stream.close()
        key = next(line for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
        connection.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
            + accept_of(key.split(b":")[1].strip().decode()).encode()
            + b"\r\n\r\n"
        )
        reader.join()
        self.assertEqual(read, [])
        while connection.recv(65536) != b"":
            pass  # The closing frame of the client.


def accept_of(key: str) -> str:
    return base64.b64encode(hashlib.sha1(f"{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()).decode()


if __name__ == "__main__":
    unittest.main()
