"""Frames of the WebSocket client against a scripted peer on a pair of sockets."""

import socket
import struct
import threading
import unittest
from typing import Tuple

from callsheet.websocket import WebSocket, WebSocketClosed


def frame(code: int, payload: bytes, is_last: bool = True) -> bytes:
    first = (0x80 if is_last else 0) | code
    if len(payload) < 126:
        return struct.pack(">BB", first, len(payload)) + payload
    if len(payload) < 65536:
        return struct.pack(">BBH", first, 126, len(payload)) + payload
    return struct.pack(">BBQ", first, 127, len(payload)) + payload


class WebSocketTest(unittest.TestCase):
    def setUp(self) -> None:
        near, self.peer = socket.socketpair()
        self.web = WebSocket(near)
        self.addCleanup(self.peer.close)
        self.addCleanup(self.web.close)

    def received(self) -> Tuple[int, bytes]:
        """Returns the code and the unmasked payload of the next frame that the client has sent."""
        head = self.peer.recv(2, socket.MSG_WAITALL)
        self.assertTrue(head[1] & 0x80, "a client masks its frames")
        length = head[1] & 0x7F
        if length == 126:
            length = struct.unpack(">H", self.peer.recv(2, socket.MSG_WAITALL))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.peer.recv(8, socket.MSG_WAITALL))[0]
        mask = self.peer.recv(4, socket.MSG_WAITALL)
        data = self.peer.recv(length, socket.MSG_WAITALL) if length else b""
        return head[0] & 0x0F, bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))

    def test_texts_of_every_length_round_trip(self) -> None:
        for length in (0, 125, 126, 65535, 65536, 200_000):
            text = "é" * (length // 2) + "x" * (length % 2)
            sender = threading.Thread(target=self.peer.sendall, args=(frame(1, text.encode()),))
            sender.start()
            self.assertEqual(self.web.receive(5), text)
            sender.join()
            sender = threading.Thread(target=self.web.send, args=(text,))
            sender.start()
            self.assertEqual(self.received(), (1, text.encode()))
            sender.join()

    def test_a_message_arrives_in_pieces(self) -> None:
        whole = frame(1, b"one ", is_last=False) + frame(9, b"ping") + frame(0, b"two")
        for at in range(len(whole)):
            self.assertIsNone(self.web.receive(0.001) if at < 5 else None)
            self.peer.sendall(whole[at : at + 1])
        self.assertEqual(self.web.receive(5), "one two")
        self.assertEqual(self.received(), (10, b"ping"))

    def test_a_silent_peer_is_no_message(self) -> None:
        self.assertIsNone(self.web.receive(0.01))

    def test_the_peer_closes(self) -> None:
        self.peer.sendall(frame(8, struct.pack(">H", 1001) + b"stops"))
        with self.assertRaisesRegex(WebSocketClosed, "stops") as caught:
            self.web.receive(5)
        self.assertEqual(caught.exception.code, 1001)
        self.assertEqual(self.received(), (8, struct.pack(">H", 1001)))

    def test_a_lost_connection(self) -> None:
        self.peer.close()
        with self.assertRaises(WebSocketClosed):
            self.web.receive(5)

    def test_violations_end_the_connection(self) -> None:
        for sent in (b"\xc1\x00", b"\x81\x80", frame(3, b""), frame(1, b"\xff"), b"\x81\x7f" + b"\x7f" * 8):
            near, peer = socket.socketpair()
            web = WebSocket(near)
            peer.sendall(sent)
            with self.assertRaises(WebSocketClosed):
                web.receive(5)
            peer.close()


if __name__ == "__main__":
    unittest.main()
