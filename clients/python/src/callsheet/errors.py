"""Errors of the client. Each is a CallsheetError."""

from __future__ import annotations

from typing import List, Optional

from .models import PointedError

__all__ = [
    "CallsheetError",
    "ConfigurationError",
    "Forbidden",
    "InvalidBundle",
    "JobFailed",
    "NotFound",
    "ProblemError",
    "ServiceUnreachable",
    "SubjectRefused",
    "UnreadableReply",
]


class CallsheetError(Exception):
    """Base of all errors of this package."""


class ConfigurationError(CallsheetError):
    """An address, a context or a file of contexts or keys is missing or invalid."""


class InvalidBundle(CallsheetError):
    """A job bundle cannot be read: a file is missing, ambiguous or invalid."""


class SubjectRefused(CallsheetError):
    """The service does not offer the subject of a subscription."""


class ServiceUnreachable(CallsheetError):
    """There is no reply. With `is_reply_lost` the service may have processed the request."""

    def __init__(self, message: str, is_reply_lost: bool) -> None:
        super().__init__(message)
        self.is_reply_lost = is_reply_lost


class UnreadableReply(CallsheetError):
    """The reply is not JSON: a proxy or another server has replied."""


class JobFailed(CallsheetError):
    """A job did not complete. `status` is `failed` or `canceled`."""

    def __init__(self, job_id: str, name: str, status: str, reason: str) -> None:
        super().__init__(f"job {name} ({job_id}) is {status}{': ' if reason else ''}{reason}")
        self.job_id = job_id
        self.status = status


class ProblemError(CallsheetError):
    """The service has refused a request. Carries the problem (RFC 7807) of the reply.

    status: HTTP status, from 400 to 599. errors: the invalid parts, each with `pointer` and `detail`, and for a template with
    `line` and `column`. retry_after: seconds to wait, None if the service names none.
    """

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        errors: List[PointedError],
        request_id: str,
        retry_after: Optional[float],
    ) -> None:
        parts = [f"{error['pointer']}: {error['detail']}" for error in errors]
        lines = [title, *parts] if parts else [f"{title}: {detail}" if detail else title]
        super().__init__("\n  ".join(lines))
        self.status = status
        self.title = title
        self.detail = detail
        self.errors = errors
        self.request_id = request_id
        self.retry_after = retry_after


class NotFound(ProblemError):
    """The path or the resource does not exist (404)."""


class Forbidden(ProblemError):
    """The key is missing or wrong (401), or the account may not do this (403)."""
