"""The same client for asyncio: each call runs in a thread of a pool, so that the event loop never waits."""

from __future__ import annotations

import asyncio
import functools
import ssl
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Coroutine, Dict, Iterator, Optional, Type, TypeVar

from .client import Client, chunk_of
from .events import Event, EventStream
from .models import JobDetail, LogChunk
from .waiting import ENDED, checked

if TYPE_CHECKING:  # Type checkers have this package built in; Python 3.9 lacks the names.
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

__all__ = ["AsyncClient", "AsyncEventStream"]

T = TypeVar("T")
_END = object()
_POLL_SECONDS = 0.5


def _in_thread(
    call: Callable[Concatenate[Client, P], T],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """Returns a call of Client as a coroutine with the same parameters."""

    @functools.wraps(call)
    async def run(client: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await client._run(lambda: call(client.sync, *args, **kwargs))

    return run


def _iterated(
    call: Callable[Concatenate[Client, P], Iterator[T]],
) -> Callable[Concatenate[AsyncClient, P], AsyncIterator[T]]:
    """Returns a call of Client as an asynchronous iterator with the same parameters."""

    @functools.wraps(call)
    def iterate(client: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        return client._iterate(call(client.sync, *args, **kwargs))

    return iterate


class AsyncClient:
    """A client for asyncio. See Client for its methods. Use it as an asynchronous context manager, or call `close`.

    `threads` is the number of calls that run at the same time; an iterator takes one only while it reads.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        context: Optional[str] = None,
        timeout: float = 60.0,
        tls: Optional[ssl.SSLContext] = None,
        threads: int = 16,
    ) -> None:
        self.sync = Client(url, api_key=api_key, context=context, timeout=timeout, tls=tls)
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="callsheet")

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the threads. Calls that run continue to their end."""
        self._pool.shutdown(wait=False)

    @property
    def url(self) -> str:
        """Address of the service."""
        return self.sync.url

    def job_url(self, job_id: str) -> str:
        """See Client.job_url."""
        return self.sync.job_url(job_id)

    async def _run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def _iterate(self, items: Iterator[T]) -> AsyncIterator[T]:
        while True:
            item: Any = await self._run(lambda: next(items, _END))
            if item is _END:
                return
            yield item

    request = _in_thread(Client.request)

    submit_template = _in_thread(Client.submit_template)
    preview_template = _in_thread(Client.preview_template)
    submit_bundle = _in_thread(Client.submit_bundle)
    submit_product = _in_thread(Client.submit_product)

    jobs = _iterated(Client.jobs)
    job = _in_thread(Client.job)
    update_job = _in_thread(Client.update_job)
    pause = _in_thread(Client.pause)
    resume = _in_thread(Client.resume)
    cancel = _in_thread(Client.cancel)
    delete = _in_thread(Client.delete)
    retry = _in_thread(Client.retry)
    outputs = _iterated(Client.outputs)

    tasks = _iterated(Client.tasks)
    task = _in_thread(Client.task)
    attempts = _in_thread(Client.attempts)
    explain = _in_thread(Client.explain)
    retry_task = _in_thread(Client.retry_task)
    log = _in_thread(Client.log)

    farms = _in_thread(Client.farms)
    farm = _in_thread(Client.farm)
    queues = _iterated(Client.queues)
    queue = _in_thread(Client.queue)
    workers = _iterated(Client.workers)
    products = _in_thread(Client.products)
    product = _in_thread(Client.product)
    product_parameters = _in_thread(Client.product_parameters)

    async def wait(self, job_id: str, *, timeout: Optional[float] = None, check: bool = False) -> JobDetail:
        """See Client.wait."""
        look = self.sync.job_look(job_id, timeout)
        while (job := await self._run(look.ended)) is None:
            await asyncio.sleep(look.pause)
        return checked(job) if check else job

    async def follow_log(self, task_id: str) -> AsyncIterator[LogChunk]:
        """See Client.follow_log."""
        lines = self.sync.log_lines(task_id)
        try:
            async for line in self._iterate(lines):
                if line.strip():
                    yield chunk_of(line)
        finally:
            lines.close()

    def events(self, *subjects: str, since: Optional[Dict[str, int]] = None) -> "AsyncEventStream":
        """See Client.events."""
        return AsyncEventStream(self, self.sync.events(*subjects, since=since))

    async def watch(self, job_id: str) -> AsyncIterator[Event]:
        """See Client.watch."""
        tasks = f"jobs/{job_id}/tasks"
        async with self.events("jobs", tasks) as stream:
            await stream.wait_ready()
            if (await self.job(job_id))["status"] in ENDED:
                return
            async for event in stream:
                if event.subject == tasks:
                    yield event
                elif event.gap or event.payload.get("job_id") == job_id:
                    if (await self.job(job_id))["status"] in ENDED:
                        return


class AsyncEventStream:
    """Iterates over the events of subjects. See EventStream. Use it as an asynchronous context manager."""

    def __init__(self, client: AsyncClient, stream: EventStream) -> None:
        self._client = client
        self._stream = stream

    async def __aenter__(self) -> "AsyncEventStream":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __aiter__(self) -> "AsyncEventStream":
        return self

    async def __anext__(self) -> Event:
        while True:
            # Short calls end soon after a task that iterates is canceled.
            event = await self._client._run(lambda: self._stream.next(_POLL_SECONDS))
            if event is not None:
                return event
            if self._stream.is_closed:
                raise StopAsyncIteration

    async def wait_ready(self, timeout: float = 60.0) -> None:
        """Waits until the service has accepted all subjects."""
        await self._client._run(lambda: self._stream.wait_ready(timeout))

    def close(self) -> None:
        """Ends the stream and its connection."""
        self._stream.close()
