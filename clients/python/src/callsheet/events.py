"""Events of a service over a WebSocket connection, which is opened again when it is lost."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Deque, Dict, Iterator, Optional, Sequence, Type

from .errors import ProblemError, ServiceUnreachable, SubjectRefused
from .transport import Transport
from .websocket import WebSocket, WebSocketClosed

__all__ = ["Event", "EventStream"]

_PATH = "/api/v1/ws"
_OPEN_SECONDS_MAX = 15.0
_PING_SECONDS = 25.0
_REPLY_SECONDS_MAX = 10.0
_BACKOFF_SECONDS_MAX = 30.0
_POLL_SECONDS = 0.5
_PASSING = (429, 502, 503, 504)
# Asks for all kept events, and for a gap if earlier ones were dropped: no event has a number this low.
_BEFORE_ALL = 1


@dataclass(frozen=True)
class Event:
    """An event of a subject, or a gap in its events."""

    subject: str
    seq: int
    payload: Dict[str, Any] = field(default_factory=dict)
    gap: bool = False
    """Events were lost before this point: read the data again. A gap has no payload."""


class EventStream:
    """Iterates over the events of subjects, in order, each once, also after a loss of the connection.

    `since` are the numbers of the last known events by subject, 0 for all that the service has kept. Other subjects start with
    new events. A thread may call `close` while another one iterates, which then ends.
    """

    def __init__(
        self, transport: Transport, subjects: Sequence[str], since: Optional[Dict[str, int]] = None
    ) -> None:
        self._transport = transport
        self._cursors: Dict[str, Optional[int]] = {subject: (since or {}).get(subject) for subject in subjects}
        self._pending: Deque[Event] = deque()
        self._unanswered = set(subjects)
        self._closed = threading.Event()
        self._socket: Optional[WebSocket] = None
        self._failures = 0
        self._heard_at = 0.0
        self._pinged_at = 0.0
        self._url = transport.url

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        event = self.next()
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        """Ends the stream and its connection."""
        self._closed.set()
        if self._socket is not None:
            self._socket.close()

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed.is_set()

    def wait_ready(self, timeout: float = 60.0) -> None:
        """Waits until the service has accepted all subjects: data that is read from then on, with the events, is complete.

        Raises ServiceUnreachable after `timeout` seconds.
        """
        until = time.monotonic() + timeout
        while self._unanswered and not self._closed.is_set():
            self._step(_POLL_SECONDS)
            if self._unanswered and time.monotonic() > until:
                raise ServiceUnreachable(f"the server at {self._transport.url} sends no events", False)

    def next(self, timeout: Optional[float] = None) -> Optional[Event]:
        """Returns the next event; None after `timeout` seconds without one, or after `close`."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._pending:
            left = _POLL_SECONDS if until is None else min(_POLL_SECONDS, until - time.monotonic())
            if left <= 0 or self._closed.is_set():
                return None
            self._step(left)
        return self._pending.popleft()

    def _step(self, seconds: float) -> None:
        """Opens the connection if there is none, else receives for at most `seconds`."""
        if self._socket is None:
            self._open()
            return
        try:
            self._keep_alive(self._socket)
            text = self._socket.receive(seconds)
            if text is not None:
                self._heard_at = time.monotonic()
                self._failures = 0
                self._take(json.loads(text))
        except WebSocketClosed:
            self._lose()

    def _open(self) -> None:
        self._url = self._transport.url
        try:
            opened = WebSocket.open(self._transport, _PATH, timeout=_OPEN_SECONDS_MAX)
        except ServiceUnreachable:
            self._lose()
            return
        except ProblemError as problem:
            if problem.status not in _PASSING:
                raise
            self._lose()
            return
        self._socket = opened
        # `close` during the opening has found no connection.
        if self._closed.is_set():
            opened.close()
            return
        self._heard_at = self._pinged_at = time.monotonic()
        try:
            for number, (subject, cursor) in enumerate(self._cursors.items(), 1):
                since = 0 if cursor is None else cursor or (0 if subject in self._unanswered else _BEFORE_ALL)
                self._send("subscribe", subject, number, {"since_seq": since})
        except WebSocketClosed:
            self._lose()

    def _lose(self) -> None:
        """Waits before the next attempt: half of the delay is random, so that clients do not reconnect at once.

        The next attempt uses the next address of a cluster.
        """
        self._transport.leave(self._url)
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        delay = min(0.5 * 2**self._failures, _BACKOFF_SECONDS_MAX)
        self._failures += 1
        self._closed.wait(delay * (0.5 + random.random() / 2))

    def _keep_alive(self, connection: WebSocket) -> None:
        now = time.monotonic()
        if now - max(self._heard_at, self._pinged_at) > _PING_SECONDS:
            self._pinged_at = now
            self._send("ping", "", 0, {})
        elif self._pinged_at > self._heard_at and now - self._pinged_at > _REPLY_SECONDS_MAX:
            raise WebSocketClosed(None, "the service does not reply")

    def _send(self, kind: str, subject: str, seq: int, payload: Dict[str, Any]) -> None:
        if self._socket is not None:
            self._socket.send(json.dumps({"type": kind, "subject": subject, "seq": seq, "payload": payload}))

    def _take(self, envelope: Dict[str, Any]) -> None:
        kind, subject, seq, payload = (envelope.get(name) for name in ("type", "subject", "seq", "payload"))
        if subject not in self._cursors or not isinstance(seq, int) or not isinstance(payload, dict):
            return
        cursor = self._cursors[subject]
        if kind == "ack":
            if payload.get("error"):
                raise SubjectRefused(f"{subject}: {payload['error']}")
            self._unanswered.discard(subject)
            if cursor is None:
                self._cursors[subject] = seq
        elif kind == "push" and cursor is not None and seq > cursor:
            self._cursors[subject] = seq
            self._pending.append(Event(subject, seq, payload))
        elif kind == "error" and payload.get("code") == "gap" and cursor is not None and seq > cursor:
            self._cursors[subject] = seq
            self._pending.append(Event(subject, seq, gap=True))
