"""HTTP requests of the client: one connection for each request, waits of the rate limit, problems as exceptions."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from .config import Target
from .errors import Forbidden, NotFound, ProblemError, ServiceUnreachable, UnreadableReply

__all__ = ["LineStream", "Query", "Reply", "Transport", "path_of", "problem_of"]

QueryValue = Union[str, int, float, bool, None, Sequence[str]]
Query = Mapping[str, QueryValue]

REPLY_SECONDS_MAX = 60.0
RATE_LIMIT_SECONDS_MAX = 60.0
_UNAVAILABLE = 503
_READS = ("GET", "HEAD")
_EXCERPT = 200


@dataclass(frozen=True)
class Reply:
    """A successful reply, or 304."""

    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: bytes

    def json(self) -> Any:
        """Returns the value of the body; None if it is empty. Raises UnreadableReply if it is not JSON."""
        if not self.body:
            return None
        try:
            return json.loads(self.body)
        except ValueError:
            excerpt = self.body[:_EXCERPT].decode("utf-8", "replace")
            raise UnreadableReply(f"the server returned invalid JSON: {excerpt}") from None


def path_of(*segments: str) -> str:
    """Returns the path below /api/v1 of segments, which are escaped."""
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def _query_text(query: Query) -> str:
    pairs = []
    for name, value in query.items():
        if value is None:
            continue
        values: Iterable[Any] = [value] if isinstance(value, (str, int, float)) else value
        pairs += [(name, str(each).lower() if isinstance(each, bool) else str(each)) for each in values]
    return f"?{urlencode(pairs)}" if pairs else ""


class LineStream:
    """Iterates over the lines of a reply until the service ends it. Another thread may call `close`, which ends it too.

    The first line opens the connection, so that a stream that is closed before has none.
    """

    def __init__(self, url: str, open_reply: Callable[[], "_Opened"]) -> None:
        self._url = url
        self._open_reply = open_reply
        self._opened: Optional[_Opened] = None
        self._is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        opened = self._opened = self._opened or self._open_reply()
        # `close` during the opening has found no connection.
        if self._is_closed:
            opened.close()
            raise StopIteration
        try:
            line = opened.response.readline()
        except (OSError, ValueError, http.client.HTTPException) as error:
            if self._is_closed:
                raise StopIteration from None
            raise ServiceUnreachable(f"the server at {self._url} ended the stream: {error}", True) from error
        if not line or self._is_closed:
            opened.response.close()
            opened.socket.close()
            raise StopIteration
        return line

    def close(self) -> None:
        """Ends the connection."""
        self._is_closed = True
        if self._opened is not None:
            self._opened.close()


@dataclass(frozen=True)
class _Opened:
    """A request whose reply has begun."""

    connection: http.client.HTTPConnection
    response: http.client.HTTPResponse
    socket: socket.socket

    def close(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The service has closed it.
        self.connection.close()


class Transport:
    """Sends requests to one service. Threads may share it.

    Of several addresses of a cluster, it uses one until that is unreachable or unavailable, and then the next. A request
    that may have had an effect is sent again only if it reads, or has an idempotency key.
    """

    def __init__(
        self,
        target: Target,
        *,
        timeout: float = REPLY_SECONDS_MAX,
        tls: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._addresses = (target.url, *target.others)
        self._current = 0
        self.tls = tls
        self._timeout = timeout
        self._sleep = sleep
        self.headers: Dict[str, str] = {"User-Agent": "callsheet-python"}
        if target.api_key is not None:
            self.headers["Authorization"] = f"Bearer {target.api_key}"

    @property
    def url(self) -> str:
        """The address in use."""
        return self._addresses[self._current]

    @property
    def parts(self) -> SplitResult:
        """Parts of the address in use."""
        return urlsplit(self.url)

    def leave(self, url: str) -> None:
        """Uses the next address instead of one that is unreachable or unavailable."""
        if self.url == url:
            self._current = (self._addresses.index(url) + 1) % len(self._addresses)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Any = None,
        document: Optional[Tuple[str, str]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Reply:
        """Sends a request to a path below /api/v1, and waits as the rate limit asks, for at most a minute in total.

        body: a value that is sent as JSON. document: a media type and a text that is sent verbatim.
        Raises ProblemError for a status of 400 and above, ServiceUnreachable without a reply.
        """
        waited = 0.0
        while True:
            reply = self._reply(method, path, query, body, document, headers)
            if reply.status < 400:
                return reply
            problem = problem_of(reply)
            if problem.status != 429 or problem.retry_after is None:
                raise problem
            waited += problem.retry_after
            if waited > RATE_LIMIT_SECONDS_MAX:
                raise problem
            self._sleep(problem.retry_after)

    def _reply(
        self,
        method: str,
        path: str,
        query: Optional[Query],
        body: Any,
        document: Optional[Tuple[str, str]],
        headers: Optional[Mapping[str, str]],
    ) -> Reply:
        """Returns the reply of the first address that answers; that of the last one if none can."""
        names = {name.lower() for name in headers or {}}
        is_repeatable = method in _READS or "idempotency-key" in names
        for left in reversed(range(len(self._addresses))):
            url = self.url
            try:
                opened = self._open(method, path, query, body, document, headers, self._timeout)
                try:
                    content = opened.response.read()
                except (OSError, http.client.HTTPException) as error:
                    raise ServiceUnreachable(f"the server at {url} cannot be reached: {error}", True) from error
                finally:
                    opened.connection.close()
            except ServiceUnreachable as error:
                self.leave(url)
                if left == 0 or (error.is_reply_lost and not is_repeatable):
                    raise
                continue
            reply = _reply_of(opened.response, content)
            if reply.status != _UNAVAILABLE:
                return reply
            self.leave(url)
            if left == 0 or not is_repeatable:
                return reply
        raise AssertionError("a service has an address")

    def lines(self, path: str, *, query: Optional[Query] = None) -> "LineStream":
        """Returns the lines of a stream. It waits for a line without a limit."""

        def open_reply() -> _Opened:
            for left in reversed(range(len(self._addresses))):
                url = self.url
                try:
                    opened = self._open("GET", path, query, None, None, None, None)
                except ServiceUnreachable:
                    self.leave(url)
                    if left == 0:
                        raise
                    continue
                if opened.response.status < 400:
                    return opened
                with opened.response as response:
                    problem = problem_of(_reply_of(response, response.read()))
                if problem.status == _UNAVAILABLE:
                    self.leave(url)
                if problem.status != _UNAVAILABLE or left == 0:
                    raise problem
            raise AssertionError("a service has an address")

        return LineStream(self.url, open_reply)

    def open_socket(self, parts: SplitResult, timeout: float) -> socket.socket:
        """Returns a connected socket, encrypted for https. Raises ServiceUnreachable if there is no connection."""
        connection = self._connected(parts, timeout)
        opened: socket.socket = connection.sock
        connection.sock = None
        return opened

    def _connected(self, parts: SplitResult, timeout: Optional[float]) -> http.client.HTTPConnection:
        """Returns an open connection. Raises ServiceUnreachable if there is none."""
        host = parts.hostname or ""
        connection = (
            http.client.HTTPSConnection(host, parts.port, timeout=timeout, context=self.tls)
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, parts.port, timeout=timeout)
        )
        try:
            connection.connect()
        except OSError as error:
            raise ServiceUnreachable(f"the server at {parts.geturl()} cannot be reached: {error}", False) from error
        return connection

    def _open(
        self,
        method: str,
        path: str,
        query: Optional[Query],
        body: Any,
        document: Optional[Tuple[str, str]],
        headers: Optional[Mapping[str, str]],
        timeout: Optional[float],
    ) -> _Opened:
        sent = {**self.headers, "Connection": "close", **(headers or {})}
        data: Optional[bytes] = None
        if document is not None:
            sent["Content-Type"], text = document
            data = text.encode("utf-8")
        elif body is not None:
            sent["Content-Type"] = "application/json"
            data = json.dumps(body).encode("utf-8")
        parts = self.parts
        address = f"{parts.path}/api/v1{path}{_query_text(query or {})}"
        connection = self._connected(parts, timeout)
        try:
            connection.request(method, address, body=data, headers=sent)
            # The connection gives its socket to the response.
            opened: socket.socket = connection.sock
            return _Opened(connection, connection.getresponse(), opened)
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise ServiceUnreachable(f"the server at {parts.geturl()} cannot be reached: {error}", True) from error


def _reply_of(response: http.client.HTTPResponse, content: bytes) -> Reply:
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, content)


def problem_of(reply: Reply) -> ProblemError:
    """Returns the error of a reply with a status of 400 and above."""
    try:
        document = json.loads(reply.body)
    except ValueError:
        document = None
    found: Dict[str, Any] = document if isinstance(document, dict) else {}
    detail = found.get("detail", "") if found else reply.body[:_EXCERPT].decode("utf-8", "replace")
    kinds = {401: Forbidden, 403: Forbidden, 404: NotFound}
    return kinds.get(reply.status, ProblemError)(
        reply.status,
        found.get("title", http.client.responses.get(reply.status, f"status {reply.status}")),
        detail,
        found.get("errors", []),
        found.get("instance", ""),
        _seconds(reply.headers.get("retry-after")),
    )


def _seconds(text: Optional[str]) -> Optional[float]:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
