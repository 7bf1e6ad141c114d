"""The same client for asyncio: each call runs in a thread of a pool, so that the event loop never waits."""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from .bundles import ParameterValue
from .client import Client, chunk_of
from .events import Event, EventStream
from .models import (
    Attempt,
    DryRun,
    Farm,
    Job,
    JobDetail,
    JobRetry,
    LogChunk,
    Output,
    Product,
    ProductParameter,
    ProductSummary,
    Queue,
    Task,
    TaskExplanation,
    Worker,
)
from .waiting import ENDED, checked

__all__ = ["AsyncClient", "AsyncEventStream"]

T = TypeVar("T")
_END = object()
_POLL_SECONDS = 0.5


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

    async def _run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def _iterate(self, items: Iterator[T]) -> AsyncIterator[T]:
        while True:
            item: Any = await self._run(lambda: next(items, _END))
            if item is _END:
                return
            yield item

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        return await self._run(lambda: self.sync.request(method, path, query=query, body=body, headers=headers))

    async def submit_template(
        self,
        template: Union[str, "os.PathLike[str]", Mapping[str, Any]],
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        environments: Sequence[str] = (),
        **settings: Any,
    ) -> Job:
        place: Dict[str, Any] = {"farm": farm, "queue": queue, "environments": environments}
        return await self._run(lambda: self.sync.submit_template(template, parameters, **place, **settings))

    async def preview_template(
        self,
        template: Union[str, "os.PathLike[str]", Mapping[str, Any]],
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        environments: Sequence[str] = (),
        **settings: Any,
    ) -> DryRun:
        place: Dict[str, Any] = {"farm": farm, "queue": queue, "environments": environments}
        return await self._run(lambda: self.sync.preview_template(template, parameters, **place, **settings))

    async def submit_bundle(
        self,
        folder: Union[str, "os.PathLike[str]"],
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        environments: Sequence[str] = (),
        allow_missing_assets: bool = False,
        **settings: Any,
    ) -> Job:
        given: Dict[str, Any] = {"farm": farm, "queue": queue, "environments": environments, **settings}
        given["allow_missing_assets"] = allow_missing_assets
        return await self._run(lambda: self.sync.submit_bundle(folder, parameters, **given))

    async def submit_product(
        self,
        product: str,
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        **settings: Any,
    ) -> Job:
        given: Dict[str, Any] = {"farm": farm, "queue": queue, **settings}
        return await self._run(lambda: self.sync.submit_product(product, parameters, **given))

    def jobs(self, **filters: Any) -> AsyncIterator[Job]:
        return self._iterate(self.sync.jobs(**filters))

    async def job(self, job_id: str) -> JobDetail:
        return await self._run(lambda: self.sync.job(job_id))

    async def wait(self, job_id: str, *, timeout: Optional[float] = None, check: bool = False) -> JobDetail:
        until = None if timeout is None else time.monotonic() + timeout
        look = self.sync.job_look(job_id)
        while True:
            job = await self._run(look.ended)
            if job is not None:
                return checked(job) if check else job
            if until is not None and time.monotonic() + look.pause > until:
                raise TimeoutError(f"job {job_id} has not ended after {timeout} seconds")
            await asyncio.sleep(look.pause)

    async def update_job(self, job_id: str, **changes: Any) -> Job:
        return await self._run(lambda: self.sync.update_job(job_id, **changes))

    async def pause(self, job_id: str) -> Job:
        return await self._run(lambda: self.sync.pause(job_id))

    async def resume(self, job_id: str) -> Job:
        return await self._run(lambda: self.sync.resume(job_id))

    async def cancel(self, job_id: str) -> None:
        await self._run(lambda: self.sync.cancel(job_id))

    async def delete(self, job_id: str) -> None:
        await self._run(lambda: self.sync.delete(job_id))

    async def retry(
        self, job_id: str, *, with_dependents: bool = True, dry_run: bool = False, **selection: Any
    ) -> JobRetry:
        given: Dict[str, Any] = {"with_dependents": with_dependents, "dry_run": dry_run, **selection}
        return await self._run(lambda: self.sync.retry(job_id, **given))

    def outputs(self, job_id: str, *, compute_location: Optional[str] = None) -> AsyncIterator[Output]:
        return self._iterate(self.sync.outputs(job_id, compute_location=compute_location))

    def tasks(self, job_id: str, **filters: Any) -> AsyncIterator[Task]:
        return self._iterate(self.sync.tasks(job_id, **filters))

    async def task(self, task_id: str) -> Task:
        return await self._run(lambda: self.sync.task(task_id))

    async def attempts(self, task_id: str) -> List[Attempt]:
        return await self._run(lambda: self.sync.attempts(task_id))

    async def explain(self, task_id: str) -> TaskExplanation:
        return await self._run(lambda: self.sync.explain(task_id))

    async def retry_task(self, task_id: str, *, with_dependents: bool = True) -> None:
        await self._run(lambda: self.sync.retry_task(task_id, with_dependents=with_dependents))

    async def log(self, task_id: str, *, stream: Optional[str] = None, attempt: Optional[int] = None) -> str:
        return await self._run(lambda: self.sync.log(task_id, stream=stream, attempt=attempt))

    async def follow_log(self, task_id: str) -> AsyncIterator[LogChunk]:
        lines = await self._run(lambda: self.sync.log_lines(task_id))
        try:
            async for line in self._iterate(lines):
                if line.strip():
                    yield chunk_of(line)
        finally:
            lines.close()

    async def farms(self) -> List[Farm]:
        return await self._run(self.sync.farms)

    async def farm(self, name_or_id: Optional[str] = None) -> Farm:
        return await self._run(lambda: self.sync.farm(name_or_id))

    def queues(self, farm: Optional[str] = None) -> AsyncIterator[Queue]:
        return self._iterate(self.sync.queues(farm))

    async def queue(self, name_or_id: Optional[str] = None, *, farm: Optional[str] = None) -> Queue:
        return await self._run(lambda: self.sync.queue(name_or_id, farm=farm))

    def workers(self, **filters: Any) -> AsyncIterator[Worker]:
        return self._iterate(self.sync.workers(**filters))

    async def products(self) -> List[ProductSummary]:
        return await self._run(self.sync.products)

    async def product(self, name: str) -> Product:
        return await self._run(lambda: self.sync.product(name))

    async def product_parameters(self, name: str) -> List[ProductParameter]:
        return await self._run(lambda: self.sync.product_parameters(name))

    def events(self, *subjects: str, since: Optional[Dict[str, int]] = None) -> "AsyncEventStream":
        return AsyncEventStream(self, self.sync.events(*subjects, since=since))

    async def watch(self, job_id: str) -> AsyncIterator[Event]:
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
