"""Submission of jobs from templates, bundles and products."""

from __future__ import annotations

import json
import logging
import os
import time
import uuid
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Sequence, Union, cast

from .bundles import ParameterValue, parameter_text, read_bundle
from .errors import ProblemError, ServiceUnreachable
from .models import DryRun, Job
from .transport import Reply, Transport, path_of
from .waiting import OUTAGE_SECONDS_MAX

__all__ = ["Submissions"]

_LOGGER = logging.getLogger("callsheet")
_REPEAT_SECONDS = 0.5
_IN_PROGRESS = 409
_NOT_READY = 503

Settings = Mapping[str, Union[str, int, bool, Sequence[str], None]]


class Submissions:
    """The calls of a client that create jobs."""

    _transport: Transport

    def _place(self, farm: Optional[str], queue: Optional[str]) -> "tuple[str, str]":
        """Returns the ids of a farm and a queue, which are given by id or name."""
        raise NotImplementedError

    def submit_template(
        self,
        /,
        template: Union[str, "os.PathLike[str]", Mapping[str, Any]],
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        environments: Sequence[str] = (),
        **settings: Any,
    ) -> Job:
        """Submits an OpenJD job template: the text, the path of its file, or the document as a mapping.

        settings: `priority`, `project`, `owner`, `paused`, `start_after`, `depends_on`, `max_attempts`, `retry_delay_seconds`,
        `failure_limit`. If the reply is lost, the request is repeated with the same key, so that only one job is created.
        """
        text, kind = _template(template)
        return cast(Job, self._send_template(text, kind, _texts(parameters), farm, queue, environments, settings))

    def preview_template(
        self,
        /,
        template: Union[str, "os.PathLike[str]", Mapping[str, Any]],
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        environments: Sequence[str] = (),
        **settings: Any,
    ) -> DryRun:
        """Checks a submission as `submit_template` does, and stores nothing."""
        text, kind = _template(template)
        tried = {**settings, "dry_run": True}
        return cast(DryRun, self._send_template(text, kind, _texts(parameters), farm, queue, environments, tried))

    def submit_bundle(
        self,
        /,
        folder: Union[str, "os.PathLike[str]"],
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        environments: Sequence[str] = (),
        allow_missing_assets: bool = False,
        **settings: Any,
    ) -> Job:
        """Submits a job bundle. `parameters` and `settings` precede the values of the bundle.

        The logger `callsheet` has a warning for each value and hook of the bundle that is ignored.
        """
        bundle = read_bundle(folder, allow_missing_assets=allow_missing_assets)
        for note in bundle.notes:
            _LOGGER.warning("%s: %s", folder, note)
        values = {**bundle.parameters, **bundle.given(parameters or {})}
        merged = {**bundle.settings, **settings}
        reply = self._send_template(bundle.template, bundle.format, values, farm, queue, environments, merged)
        return cast(Job, reply)

    def submit_product(
        self,
        /,
        product: str,
        parameters: Optional[Mapping[str, ParameterValue]] = None,
        *,
        farm: Optional[str] = None,
        queue: Optional[str] = None,
        **settings: Any,
    ) -> Job:
        """Submits a product. `settings` are those of `submit_template`, and `name` of the job."""
        farm_id, queue_id = self._place(farm, queue)
        body = {"farm_id": farm_id, "queue_id": queue_id, "parameters": _texts(parameters), **settings}
        given = {name: value for name, value in body.items() if value is not None}
        return cast(Job, self._once(path_of("products", product, "jobs"), body=given).json())

    def _send_template(
        self,
        text: str,
        kind: str,
        values: Mapping[str, str],
        farm: Optional[str],
        queue: Optional[str],
        environments: Sequence[str],
        settings: Settings,
    ) -> Any:
        farm_id, queue_id = self._place(farm, queue)
        query: Dict[str, Any] = {"farm_id": farm_id, "queue_id": queue_id, **settings}
        query.update({f"param.{name}": value for name, value in values.items()})
        document = ("application/json" if kind == "json" else "application/x-yaml", text)
        if environments:
            sent = [{"template": each, "format": _format_of(each)} for each in environments]
            whole = {"template": text, "format": kind, "environments": sent}
            document = ("application/vnd.callsheet.submission+json", json.dumps(whole))
        return self._once("/jobs", query=query, document=document).json()

    def _once(self, path: str, **sent: Any) -> Reply:
        """Sends a submission. Repeats it with the same key after a lost reply, for at most a minute.

        Raises ServiceUnreachable with `is_reply_lost` if the service may have created the job.
        """
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        until = time.monotonic() + OUTAGE_SECONDS_MAX
        may_be_made = False
        while True:
            try:
                return self._transport.request("POST", path, headers=headers, **sent)
            except ServiceUnreachable as error:
                may_be_made = may_be_made or error.is_reply_lost
                if not may_be_made:
                    raise
                if time.monotonic() > until:
                    raise ServiceUnreachable(str(error), True) from error
            except ProblemError as problem:
                if not may_be_made or problem.status not in (_IN_PROGRESS, _NOT_READY):
                    raise
                if time.monotonic() > until:
                    raise ServiceUnreachable(f"the reply was lost, and then: {problem}", True) from problem
            time.sleep(_REPEAT_SECONDS)


def _texts(parameters: Optional[Mapping[str, ParameterValue]]) -> Dict[str, str]:
    return {name: parameter_text(value) for name, value in (parameters or {}).items()}


def _template(given: Union[str, "os.PathLike[str]", Mapping[str, Any]]) -> "tuple[str, str]":
    """Returns the text of a template and its format. A text of one line is the path of a file."""
    if isinstance(given, Mapping):
        return json.dumps(given), "json"
    if isinstance(given, os.PathLike) or "\n" not in given and not given.lstrip().startswith("{"):
        path = Path(given)
        return path.read_text(encoding="utf-8"), "json" if path.suffix.lower() == ".json" else "yaml"
    return given, _format_of(given)


def _format_of(text: str) -> str:
    return "json" if text.lstrip().startswith("{") else "yaml"
