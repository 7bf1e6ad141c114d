"""A client of Callsheet, a job scheduler for render farms (docs/python.md).

    from callsheet import Client

    client = Client()
    job = client.submit_template("render.yaml", {"Frames": "1-100"})
    client.wait(job["id"], check=True)
"""

from .aio import AsyncClient
from .bundles import JobBundle, read_bundle
from .client import Client
from .errors import (
    CallsheetError,
    ConfigurationError,
    Forbidden,
    InvalidBundle,
    JobFailed,
    NotFound,
    ProblemError,
    ServiceUnreachable,
    SubjectRefused,
    UnreadableReply,
)
from .events import Event, EventStream
from .waiting import ENDED

__version__ = "0.1.0"

__all__ = [
    "ENDED",
    "AsyncClient",
    "CallsheetError",
    "Client",
    "ConfigurationError",
    "Event",
    "EventStream",
    "Forbidden",
    "InvalidBundle",
    "JobBundle",
    "JobFailed",
    "NotFound",
    "ProblemError",
    "ServiceUnreachable",
    "SubjectRefused",
    "UnreadableReply",
    "read_bundle",
]
