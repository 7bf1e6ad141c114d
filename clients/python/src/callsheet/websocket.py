"""A WebSocket client (RFC 6455) over a socket of the standard library: text messages, without extensions."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import struct
import threading
from typing import List, Mapping, Optional, Tuple

from .errors import ServiceUnreachable
from .transport import Reply, Transport, problem_of

__all__ = ["WebSocket", "WebSocketClosed"]

_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUATION, _TEXT, _BINARY, _CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10
_MESSAGE_BYTES_MAX = 64 * 1024 * 1024
_READ_BYTES = 65536
_HEAD_BYTES_MAX = 65536
_NORMAL = 1000
_PROTOCOL_ERROR = 1002


class WebSocketClosed(Exception):
    """The connection has ended. `code` is that of the service, or None if the connection was lost."""

    def __init__(self, code: Optional[int], reason: str) -> None:
        super().__init__(reason or f"closed with {code}")
        self.code = code


class WebSocket:
    """An open connection. One thread receives; others may send and close."""

    def __init__(self, connected: socket.socket, received: bytes = b"") -> None:
        self._socket = connected
        self._buffer = bytearray(received)
        self._sending = threading.Lock()
        self._fragments: List[bytes] = []

    @classmethod
    def open(cls, transport: Transport, path: str, *, timeout: float) -> "WebSocket":
        """Opens a connection. Raises ProblemError if the service refuses it, ServiceUnreachable without a reply."""
        parts = transport.parts
        key = base64.b64encode(os.urandom(16)).decode("ascii")
        headers = {
            "Host": parts.netloc.rpartition("@")[2],
            **transport.headers,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
        }
        lines = [f"GET {parts.path}{path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
        connected = transport.open_socket(parts, timeout)
        try:
            connected.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
            status, received, rest = _read_head(connected)
            if status != 101:
                length = int(received.get("content-length", "0"))
                while len(rest) < min(length, _HEAD_BYTES_MAX):
                    more = connected.recv(_READ_BYTES)
                    if not more:
                        break
                    rest += more
                raise problem_of(Reply(status, received, rest))
            if received.get("sec-websocket-accept") != _accept(key):
                raise ServiceUnreachable("the reply to the request for a WebSocket connection is not valid", False)
            return cls(connected, rest)
        except (OSError, ValueError) as error:
            connected.close()
            raise ServiceUnreachable(f"the server at {parts.geturl()} cannot be reached: {error}", False) from error
        except BaseException:
            connected.close()
            raise

    def send(self, text: str) -> None:
        """Sends a text message. Raises WebSocketClosed if the connection is lost."""
        self._send(_TEXT, text.encode("utf-8"))

    def receive(self, timeout: float) -> Optional[str]:
        """Returns the next text message, or None after `timeout` seconds without one.

        Raises WebSocketClosed when the connection has ended.
        """
        self._socket.settimeout(timeout)
        while True:
            frame = self._frame()
            if frame is None:
                try:
                    received = self._socket.recv(_READ_BYTES)
                except socket.timeout:
                    return None
                except OSError as error:
                    raise WebSocketClosed(None, str(error)) from error
                if not received:
                    raise WebSocketClosed(None, "the service has closed the connection")
                self._buffer += received
                continue
            text = self._message(*frame)
            if text is not None:
                return text

    def close(self, code: int = _NORMAL) -> None:
        """Ends the connection. A thread that receives gets WebSocketClosed."""
        try:
            self._send(_CLOSE, struct.pack(">H", code))
        except WebSocketClosed:
            pass
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()

    def _message(self, is_last: bool, code: int, payload: bytes) -> Optional[str]:
        """Handles a frame, and returns the text that it completes."""
        if code == _PING:
            self._send(_PONG, payload)
        elif code == _CLOSE:
            status = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else None
            reason = payload[2:].decode("utf-8", "replace")
            self.close(status if status is not None else _NORMAL)
            raise WebSocketClosed(status, reason)
        elif code in (_TEXT, _CONTINUATION):
            self._fragments.append(payload)
            if sum(map(len, self._fragments)) > _MESSAGE_BYTES_MAX:
                raise self._violation("a message is too long")
            if is_last:
                whole = b"".join(self._fragments)
                self._fragments = []
                try:
                    return whole.decode("utf-8")
                except UnicodeDecodeError:
                    raise self._violation("a message is not UTF-8") from None
        elif code != _PONG:
            raise self._violation(f"a frame has the code {code}")
        return None

    def _frame(self) -> Optional[Tuple[bool, int, bytes]]:
        """Takes a complete frame from the buffer; None if there is none."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        if first & 0x70 or second & 0x80:
            raise self._violation("a frame has reserved bits or a mask")
        length, start = second & 0x7F, 2
        if length >= 126:
            size, layout = (2, ">H") if length == 126 else (8, ">Q")
            if len(buffer) < 2 + size:
                return None
            length, start = struct.unpack(layout, bytes(buffer[2 : 2 + size]))[0], 2 + size
        if length > _MESSAGE_BYTES_MAX:
            raise self._violation("a frame is too long")
        if len(buffer) < start + length:
            return None
        payload = bytes(buffer[start : start + length])
        del buffer[: start + length]
        return bool(first & 0x80), first & 0x0F, payload

    def _violation(self, text: str) -> WebSocketClosed:
        self.close(_PROTOCOL_ERROR)
        return WebSocketClosed(None, text)

    def _send(self, code: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            head = struct.pack(">BB", 0x80 | code, 0x80 | length)
        elif length < 65536:
            head = struct.pack(">BBH", 0x80 | code, 0x80 | 126, length)
        else:
            head = struct.pack(">BBQ", 0x80 | code, 0x80 | 127, length)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        try:
            with self._sending:
                self._socket.sendall(head + mask + masked)
        except OSError as error:
            raise WebSocketClosed(None, str(error)) from error


def _read_head(connected: socket.socket) -> Tuple[int, Mapping[str, str], bytes]:
    """Reads the head of a reply. Returns its status, its headers by name in lower case, and the bytes after the head."""
    received = b""
    while b"\r\n\r\n" not in received:
        more = connected.recv(_READ_BYTES)
        if not more or len(received) > _HEAD_BYTES_MAX:
            raise ValueError("the reply has no complete head")
        received += more
    head, _, rest = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = [line.partition(":") for line in lines]
    return int(first.split(" ")[1]), {name.strip().lower(): text.strip() for name, _, text in pairs}, rest


def _accept(key: str) -> str:
    return base64.b64encode(hashlib.sha1((key + _MAGIC).encode("ascii")).digest()).decode("ascii")
