"""Waiting for the end of a job by reading it."""

from __future__ import annotations

import time
from typing import Optional, cast

from .errors import CallsheetError, JobFailed, ProblemError, ServiceUnreachable
from .models import JobDetail
from .transport import Transport, path_of

__all__ = ["ENDED", "JobLook", "checked"]

ENDED = ("completed", "failed", "canceled")
"""Statuses of jobs that do not change by themselves."""

OUTAGE_SECONDS_MAX = 60.0
_WAIT_SECONDS = (0.5, 5.0)
_PASSING = (429, 502, 503, 504)


def checked(job: JobDetail) -> JobDetail:
    """Returns a job that has completed. Raises JobFailed for another one that has ended."""
    if job["status"] != "completed":
        reason = job["failure_summary"]["dominant_reason"] or job.get("cancel_reason", "")
        raise JobFailed(job["id"], job["name"], job["status"], reason)
    return job


class JobLook:
    """Repeated looks at a job that has not ended. `pause` is the time in seconds until the next look."""

    def __init__(self, transport: Transport, job_id: str, timeout: Optional[float] = None) -> None:
        self._transport = transport
        self._job_id = job_id
        self._timeout = timeout
        self._until = None if timeout is None else time.monotonic() + timeout
        self._path = path_of("jobs", job_id)
        self._tag: Optional[str] = None
        self._lost_at: Optional[float] = None
        self.pause = _WAIT_SECONDS[0]

    def ended(self) -> Optional[JobDetail]:
        """Returns the job if it has ended. Raises the error of the request when an outage takes longer than a minute.

        Raises TimeoutError if the job has not ended, and the next look would be after the timeout.
        """
        job = self._read()
        if job is not None and job["status"] in ENDED:
            return job
        if self._until is not None and time.monotonic() + self.pause > self._until:
            raise TimeoutError(f"job {self._job_id} has not ended after {self._timeout} seconds")
        return None

    def _read(self) -> Optional[JobDetail]:
        """Returns the job; None if it has not changed, or during a short outage."""
        headers = {} if self._tag is None else {"If-None-Match": self._tag}
        try:
            reply = self._transport.request("GET", self._path, headers=headers)
        except CallsheetError as error:
            self._lost_at = self._lost_at or time.monotonic()
            if not _is_passing(error) or time.monotonic() - self._lost_at > OUTAGE_SECONDS_MAX:
                raise
            return None
        self._lost_at = None
        if reply.status == 304:
            self.pause = min(self.pause * 1.5, _WAIT_SECONDS[1])
            return None
        self.pause, self._tag = _WAIT_SECONDS[0], reply.headers.get("etag")
        return cast(JobDetail, reply.json())


def _is_passing(error: CallsheetError) -> bool:
    return isinstance(error, ServiceUnreachable) or (isinstance(error, ProblemError) and error.status in _PASSING)
