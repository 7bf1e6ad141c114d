"""The client of a service: jobs, tasks, logs and events."""

from __future__ import annotations

import json
import ssl
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, cast

from .config import find_target
from .errors import ConfigurationError
from .events import Event, EventStream
from .models import (
    Attempt,
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
from .submission import Submissions
from .transport import LineStream, Query, Transport, path_of
from .waiting import ENDED, JobLook, checked

__all__ = ["Client", "chunk_of"]

_PAGE = 1000


class Client(Submissions):
    """A client of one service. Threads may share it.

    Without arguments, it uses what the command `callsheet` would use: `SVC_URL` and `SVC_API_KEY`, the context in use, the key of
    `callsheet login`. `context` selects another context.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        context: Optional[str] = None,
        timeout: float = 60.0,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._target = find_target(url, api_key, context)
        self._transport = Transport(self._target, timeout=timeout, tls=tls)

    def job_look(self, job_id: str, timeout: Optional[float] = None) -> JobLook:
        """Returns looks at a job, for a caller that waits in its own way."""
        return JobLook(self._transport, job_id, timeout)

    @property
    def url(self) -> str:
        """Address of the service."""
        return self._target.url

    def job_url(self, job_id: str) -> str:
        """Returns the address of the page of a job."""
        return f"{self.url}/jobs/{job_id}"

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Sends any request of the REST API, and returns the JSON of the reply. `path` is below /api/v1."""
        return self._transport.request(method, path, query=query, body=body, headers=headers).json()

    def _place(self, farm: Optional[str], queue: Optional[str]) -> "tuple[str, str]":
        found = self.farm(farm or self._target.farm)
        name = queue or (self._target.queue if farm is None else None)
        return found["id"], self.queue(name, farm=found["id"])["id"]

    # Jobs

    def jobs(self, /, **filters: Any) -> Iterator[Job]:
        """Returns all jobs that match, newest first: `status` (one or a list), `farm_id`, `queue_id`, `owner`, `project`, `product`,
        `search`, `sort_by`, `sort_dir`."""
        return cast(Iterator[Job], self._pages("/jobs", filters))

    def job(self, job_id: str) -> JobDetail:
        """Returns a job with its steps. Raises NotFound."""
        return cast(JobDetail, self.request("GET", path_of("jobs", job_id)))

    def wait(self, job_id: str, *, timeout: Optional[float] = None, check: bool = False) -> JobDetail:
        """Waits until a job is completed, failed or canceled, and returns it. Continues through outages of a minute.

        Reads the job each half second at first, and less often while nothing changes; an unchanged reply has no body.
        Raises TimeoutError after `timeout` seconds, NotFound if the job does not exist, and with `check` JobFailed if it has not
        completed.
        """
        look = self.job_look(job_id, timeout)
        while (job := look.ended()) is None:
            time.sleep(look.pause)
        return checked(job) if check else job

    def update_job(self, /, job_id: str, **changes: Any) -> Job:
        """Changes `priority`, `queue_id`, `start_after`, `max_attempts`, `retry_delay_seconds` or `failure_limit` of a job."""
        return cast(Job, self.request("PATCH", path_of("jobs", job_id), body=changes))

    def pause(self, job_id: str) -> Job:
        """Pauses a job: running tasks continue, no new ones start."""
        return self.update_job(job_id, action="pause")

    def resume(self, job_id: str) -> Job:
        """Resumes a paused or parked job."""
        return self.update_job(job_id, action="resume")

    def cancel(self, job_id: str) -> None:
        """Cancels a job and its running tasks."""
        self.request("POST", path_of("jobs", job_id, "cancel"))

    def delete(self, job_id: str) -> None:
        """Deletes a job with its tasks and logs."""
        self.request("DELETE", path_of("jobs", job_id))

    def retry(
        self, /, job_id: str, *, with_dependents: bool = True, dry_run: bool = False, **selection: Any
    ) -> JobRetry:
        """Retries failed and canceled tasks of a job: all, or those of a `step`, of a `range` of values such as `Frame=1-5`, of an
        `index_range` of positions, of a `worker_id`."""
        query = {"with_dependents": with_dependents, "dry_run": dry_run}
        path = path_of("jobs", job_id, "retry")
        return cast(JobRetry, self.request("POST", path, query=query, body=selection))

    def outputs(self, job_id: str, *, compute_location: Optional[str] = None) -> Iterator[Output]:
        """Returns what a job and its tasks write; with `compute_location` also the path there, as `mapped_path`."""
        after: Optional[str] = None
        while True:
            query = {"limit": _PAGE, "after": after, "compute_location": compute_location}
            page = self.request("GET", path_of("jobs", job_id, "outputs"), query=query)
            yield from page["items"]
            after = page.get("next")
            if after is None:
                return

    # Tasks and logs

    def tasks(self, /, job_id: str, **filters: Any) -> Iterator[Task]:
        """Returns all tasks of a job that match: `status`, `step`, `sort_by`, `sort_dir`."""
        return cast(Iterator[Task], self._pages(path_of("jobs", job_id, "tasks"), filters))

    def task(self, task_id: str) -> Task:
        """Returns a task. Raises NotFound."""
        return cast(Task, self.request("GET", path_of("tasks", task_id)))

    def attempts(self, task_id: str) -> List[Attempt]:
        """Returns the attempts of a task, first to last."""
        return cast(List[Attempt], self.request("GET", path_of("tasks", task_id, "attempts"))["items"])

    def explain(self, task_id: str) -> TaskExplanation:
        """Returns why a task waits, where it runs or how it ended."""
        return cast(TaskExplanation, self.request("GET", path_of("tasks", task_id, "explain")))

    def retry_task(self, task_id: str, *, with_dependents: bool = True) -> None:
        """Retries a failed or canceled task."""
        self.request("POST", path_of("tasks", task_id, "retry"), query={"with_dependents": with_dependents})

    def log(self, task_id: str, *, stream: Optional[str] = None, attempt: Optional[int] = None) -> str:
        """Returns the output of a task as text: of both streams, or of `stdout` or `stderr`; of all attempts, or of one."""
        query = {"stream": stream, "attempt": attempt}
        reply = self._transport.request("GET", path_of("tasks", task_id, "log"), query=query)
        return reply.body.decode("utf-8", "replace")

    def follow_log(self, task_id: str) -> Iterator[LogChunk]:
        """Returns the output of a task as it arrives, until the task has ended and its log is complete."""
        lines = self.log_lines(task_id)
        try:
            yield from map(chunk_of, filter(bytes.strip, lines))
        finally:
            lines.close()

    def log_lines(self, task_id: str) -> LineStream:
        """Returns the stream behind `follow_log`, one JSON object in each line, which another thread can close."""
        return self._transport.lines(path_of("tasks", task_id, "logs"), query={"tail": True})

    # The farm

    def farms(self) -> List[Farm]:
        """Returns all farms."""
        return cast(List[Farm], self.request("GET", "/farms"))

    def farm(self, name_or_id: Optional[str] = None) -> Farm:
        """Returns a farm by id or name, or the only one. Raises ConfigurationError if there is none, or several."""
        return cast(Farm, _one("farm", self.farms(), name_or_id))

    def queues(self, farm: Optional[str] = None) -> Iterator[Queue]:
        """Returns all queues, or those of a farm, which is given by its id."""
        return cast(Iterator[Queue], self._pages("/queues", {"farm_id": farm}))

    def queue(self, name_or_id: Optional[str] = None, *, farm: Optional[str] = None) -> Queue:
        """Returns a queue by id or name, or the only one. Raises ConfigurationError if there is none, or several."""
        return cast(Queue, _one("queue", list(self.queues(farm)), name_or_id))

    def workers(self, /, **filters: Any) -> Iterator[Worker]:
        """Returns all workers that match: `farm_id`, `queue_id`, `status`, `search`."""
        return cast(Iterator[Worker], self._pages("/workers", filters))

    def products(self) -> List[ProductSummary]:
        """Returns all products."""
        return cast(List[ProductSummary], self.request("GET", "/products"))

    def product(self, name: str) -> Product:
        """Returns a product with its template. Raises NotFound."""
        return cast(Product, self.request("GET", path_of("products", name)))

    def product_parameters(self, name: str) -> List[ProductParameter]:
        """Returns the parameters of a product. Raises NotFound."""
        return cast(List[ProductParameter], self.request("GET", path_of("products", name, "parameters")))

    # Events

    def events(self, *subjects: str, since: Optional[Dict[str, int]] = None) -> EventStream:
        """Returns the events of subjects: `jobs`, `workers`, `outages`, `diagnostics`, `jobs/ID/tasks`, `tasks/ID/logs`.

        Use it as a context manager, which closes the connection. See EventStream.
        """
        return EventStream(self._transport, subjects, since)

    def watch(self, job_id: str) -> Iterator[Event]:
        """Returns the events of the tasks of a job until the job has ended. Raises NotFound if the job does not exist."""
        tasks = f"jobs/{job_id}/tasks"
        with self.events("jobs", tasks) as stream:
            stream.wait_ready()
            if self.job(job_id)["status"] in ENDED:
                return
            for event in stream:
                if event.subject == tasks:
                    yield event
                elif event.gap or event.payload.get("job_id") == job_id:
                    if self.job(job_id)["status"] in ENDED:
                        return

    def _pages(self, path: str, filters: Mapping[str, Any]) -> Iterator[Any]:
        """Returns all items of a list, which are read page by page."""
        offset = 0
        while True:
            page = self.request("GET", path, query={**filters, "limit": _PAGE, "offset": offset})
            yield from page["items"]
            offset += len(page["items"])
            if not page["items"] or offset >= page["total"]:
                return


def _one(what: str, items: Sequence[Any], name_or_id: Optional[str]) -> Any:
    """Returns the item of this id or name, or the only item. A complete id precedes an equal name."""
    if name_or_id is None:
        found = list(items)
    else:
        found = [item for item in items if item["id"] == name_or_id]
        found = found or [item for item in items if item["name"] == name_or_id]
    if len(found) == 1:
        return found[0]
    names = ", ".join(item["name"] for item in items) or "none"
    if name_or_id is not None and not found:
        raise ConfigurationError(f"there is no {what} {name_or_id!r}; there are: {names}")
    raise ConfigurationError(f"name the {what}; there are: {names}")


def chunk_of(line: bytes) -> LogChunk:
    """Returns the chunk in a line of a log stream."""
    return cast(LogChunk, json.loads(line))
