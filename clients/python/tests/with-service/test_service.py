"""The client against a service with a worker, a farm and a queue: SVC_URL names it (test/clients/python.test.ts)."""

import asyncio
import socket
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import List

from callsheet import (
    AsyncClient,
    Client,
    ConfigurationError,
    Event,
    JobFailed,
    NotFound,
    ProblemError,
    ServiceUnreachable,
    SubjectRefused,
)

TEMPLATE = {
    "specificationVersion": "jobtemplate-2023-09",
    "name": "lines of {{Param.Name}}",
    "parameterDefinitions": [
        {"name": "Name", "type": "STRING", "default": "job"},
        {"name": "Exit", "type": "INT", "default": 0},
        {"name": "Gate", "type": "STRING", "default": ""},
    ],
    "steps": [
        {
            "name": "Say",
            "parameterSpace": {"taskParameterDefinitions": [{"name": "N", "type": "INT", "range": "1-3"}]},
            "hostRequirements": {"amounts": [{"name": "amount.worker.vcpu", "min": 1}]},
            "script": {
                "actions": {
                    "onRun": {
                        "command": "bash",
                        "args": [
                            "-c",
                            "echo line {{Task.Param.N}}; while [ -n '{{Param.Gate}}' ] && [ ! -e '{{Param.Gate}}' ]; do sleep 0.1;"
                            " done; echo end >&2; exit {{Param.Exit}}",
                        ],
                    }
                }
            },
        }
    ],
}
NO_JOB = "0198a1c2-1111-7111-8111-111111111111"


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def test_a_job_from_its_submission_to_its_logs(self) -> None:
        job = self.client.submit_template(TEMPLATE, {"Name": "all"}, priority=70, project="film")
        self.assertEqual((job["name"], job["priority"]), ("lines of all", 70))
        ended = self.client.wait(job["id"], timeout=60, check=True)
        self.assertEqual(ended["task_counts"]["succeeded"], 3)
        tasks = list(self.client.tasks(job["id"], sort_by="name", sort_dir="asc"))
        self.assertEqual([task["parameters"]["N"] for task in tasks], ["1", "2", "3"])
        self.assertEqual(self.client.log(tasks[0]["id"], stream="stdout"), "line 1\n")
        self.assertEqual(self.client.log(tasks[0]["id"], stream="stderr"), "end\n")
        followed = "".join(chunk["data"] for chunk in self.client.follow_log(tasks[1]["id"]))
        self.assertIn("line 2\n", followed)
        self.assertEqual([each["exit_code"] for each in self.client.attempts(tasks[2]["id"])], [0])
        self.assertEqual(self.client.task(tasks[2]["id"])["status"], "succeeded")

    def test_failures_and_retries(self) -> None:
        job = self.client.submit_template(TEMPLATE, {"Exit": 3}, max_attempts=1)
        with self.assertRaises(JobFailed) as caught:
            self.client.wait(job["id"], timeout=60, check=True)
        self.assertEqual(caught.exception.status, "failed")
        preview = self.client.retry(job["id"], dry_run=True, range="N=1-2")
        self.assertEqual(preview["retried"], 2)
        self.assertEqual(self.client.retry(job["id"])["retried"], 3)
        self.assertEqual(self.client.wait(job["id"], timeout=60)["status"], "failed")
        task = next(self.client.tasks(job["id"], status="failed"))
        self.client.retry_task(task["id"])
        self.client.wait(job["id"], timeout=60)
        self.assertEqual(len(self.client.attempts(task["id"])), 3)

    def test_lists_read_all_pages(self) -> None:
        wide = {**TEMPLATE, "name": "wide"}
        space = {"taskParameterDefinitions": [{"name": "N", "type": "INT", "range": "1-2500"}]}
        wide["steps"] = [{**TEMPLATE["steps"][0], "parameterSpace": space}]  # type: ignore[index, dict-item]
        job = self.client.submit_template(wide, paused=True)
        self.assertEqual(len({task["id"] for task in self.client.tasks(job["id"])}), 2500)
        self.assertIn(job["id"], [each["id"] for each in self.client.jobs(search="wide")])
        self.client.cancel(job["id"])
        self.assertEqual(self.client.job(job["id"])["status"], "canceled")
        self.client.delete(job["id"])
        with self.assertRaises(NotFound):
            self.client.job(job["id"])

    def test_errors_carry_the_problem(self) -> None:
        with self.assertRaises(NotFound) as missing:
            self.client.wait(NO_JOB)
        self.assertEqual(missing.exception.status, 404)
        self.assertNotEqual(missing.exception.request_id, "")
        invalid = "specificationVersion: jobtemplate-2023-09\nname: x\nsteps: []\n"
        with self.assertRaises(ProblemError) as refused:
            self.client.submit_template(invalid)
        self.assertEqual(refused.exception.status, 422)
        error = refused.exception.errors[0]
        self.assertEqual((error["pointer"], error["line"]), ("/steps", 3))
        with self.assertRaisesRegex(ConfigurationError, "there is no farm 'none'; there are: studio"):
            self.client.submit_template(TEMPLATE, farm="none")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with self.assertRaises(ServiceUnreachable) as unreachable:
            Client(f"http://127.0.0.1:{port}").farms()
        self.assertFalse(unreachable.exception.is_reply_lost)

    def test_a_lost_reply_creates_one_job(self) -> None:
        """A proxy cuts the connection after the service has replied to the first submission."""
        host, port = self.client.url[len("http://") :].split(":")
        with socket.create_server(("127.0.0.1", 0)) as proxy:
            cut: List[bytes] = []

            def serve() -> None:
                while True:
                    try:
                        near, _ = proxy.accept()
                    except OSError:
                        return
                    with near, socket.create_connection((host, int(port))) as far:
                        request = b""
                        while b"\r\n\r\n" not in request:
                            request += near.recv(65536)
                        head, _, body = request.partition(b"\r\n\r\n")
                        length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
                        while length and len(body) < int(length[0].split(b":")[1]):
                            body += near.recv(65536)
                        far.sendall(head + b"\r\n\r\n" + body)
                        reply = b"".join(iter(lambda: far.recv(65536), b""))
                        if head.startswith(b"POST") and not cut:
                            cut.append(reply)
                            continue
                        near.sendall(reply)

            threading.Thread(target=serve, daemon=True).start()
            client = Client(f"http://127.0.0.1:{proxy.getsockname()[1]}")
            name = f"lost reply {uuid.uuid4()}"
            job = client.submit_template(TEMPLATE, {"Name": name}, paused=True)
            self.assertIn(job["id"].encode(), cut[0])
        self.assertEqual(len(list(self.client.jobs(search=name))), 1)
        self.client.cancel(job["id"])

    def test_previews_store_nothing(self) -> None:
        self.assertEqual(self.client.preview_template(TEMPLATE, {"Name": "tried"})["task_count"], 3)
        self.assertEqual(list(self.client.jobs(search="tried")), [])

    def test_bundles_are_submitted(self) -> None:
        (self.folder / "scripts").mkdir()
        (self.folder / "scripts" / "say.sh").write_text("echo said by $1\n")
        (self.folder / "template.yaml").write_text(
            "specificationVersion: jobtemplate-2023-09\nname: bundle\nparameterDefinitions:\n"
            "- { name: Scripts, type: PATH, default: scripts }\n- { name: Who, type: STRING }\n"
            "steps:\n- name: Say\n  script:\n    actions:\n"
            "      onRun: { command: bash, args: ['{{Param.Scripts}}/say.sh', '{{Param.Who}}'] }\n"
        )
        (self.folder / "parameter_values.yaml").write_text(
            "parameterValues:\n- name: Who\n  value: ann\n- name: deadline:priority\n  value: 61\n"
        )
        job = self.client.submit_bundle(self.folder)
        self.assertEqual(job["priority"], 61)
        self.client.wait(job["id"], timeout=60, check=True)
        task = next(self.client.tasks(job["id"]))
        self.assertEqual(self.client.log(task["id"], stream="stdout"), "said by ann\n")
        second = self.client.submit_bundle(self.folder, {"Who": "bob"}, priority=5, paused=True)
        self.assertEqual((second["priority"], second["status"]), (5, "paused"))
        self.assertEqual(self.client.job(second["id"])["parameters"]["Who"], "bob")
        self.client.cancel(second["id"])

    def test_events_of_a_job(self) -> None:
        gate = self.folder / "gate"
        job = self.client.submit_template(TEMPLATE, {"Gate": gate})
        events: List[Event] = []
        with self.client.events("jobs", f"jobs/{job['id']}/tasks") as stream:
            stream.wait_ready()
            gate.touch()
            for event in stream:
                events.append(event)
                if event.payload.get("job_id") == job["id"] and event.payload["status"] == "completed":
                    break
        ended = {event.payload["task_id"] for event in events if event.payload.get("status") == "succeeded"}
        self.assertEqual(len(ended), 3)
        self.assertIsNone(stream.next(0.1))
        with self.assertRaises(SubjectRefused):
            with self.client.events("nothing") as stream:
                stream.wait_ready()

    def test_an_event_stream_continues_after_a_loss(self) -> None:
        with self.client.events("jobs") as stream:
            stream.wait_ready()
            first = self.client.submit_template(TEMPLATE, paused=True)
            event = stream.next(30)
            assert event is not None and stream._socket is not None
            self.assertEqual(event.payload["job_id"], first["id"])
            stream._socket._socket.shutdown(socket.SHUT_RDWR)
            second = self.client.submit_template(TEMPLATE, paused=True)
            seen = set()
            while second["id"] not in seen:
                event = stream.next(30)
                assert event is not None and not event.gap
                seen.add(event.payload["job_id"])
        for job in (first, second):
            self.client.cancel(job["id"])

    def test_watching_ends_with_the_job(self) -> None:
        job = self.client.submit_template(TEMPLATE)
        for event in self.client.watch(job["id"]):
            self.assertEqual(event.subject, f"jobs/{job['id']}/tasks")
        self.assertEqual(self.client.job(job["id"])["status"], "completed")
        self.assertEqual(list(self.client.watch(job["id"])), [])

    def test_asyncio(self) -> None:
        async def main() -> None:
            async with AsyncClient() as client:
                jobs = await asyncio.gather(
                    *(client.submit_template(TEMPLATE, {"Name": f"async {n}"}) for n in range(3))
                )
                ended = await asyncio.gather(*(client.wait(job["id"], check=True) for job in jobs))
                self.assertEqual([job["status"] for job in ended], ["completed"] * 3)
                tasks = [task async for task in client.tasks(jobs[0]["id"])]
                self.assertEqual(len(tasks), 3)
                chunks = [chunk async for chunk in client.follow_log(tasks[0]["id"])]
                self.assertIn("line 1\n", "".join(chunk["data"] for chunk in chunks))
                with self.assertRaises(NotFound):
                    await client.job(NO_JOB)

                gate = self.folder / "gate"
                held = await client.submit_template(TEMPLATE, {"Gate": gate})
                following = asyncio.ensure_future(_drain(client.follow_log((await _first(client.tasks(held["id"])))["id"])))
                waiting = asyncio.ensure_future(client.wait(held["id"]))
                watching = asyncio.ensure_future(_drain(client.watch(held["id"])))
                await asyncio.sleep(0)
                for task in (following, waiting, watching):
                    task.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await task
                again = asyncio.ensure_future(_drain(client.watch(held["id"])))
                gate.touch()
                await client.wait(held["id"], check=True)
                await again

        asyncio.run(main())


async def _drain(items):  # type: ignore[no-untyped-def]
    return [item async for item in items]


async def _first(items):  # type: ignore[no-untyped-def]
    async for item in items:
        return item


if __name__ == "__main__":
    unittest.main()
