"""Requests in a thread, so that Blender stays usable. The thread touches no data of Blender."""

import contextlib
import os
import threading

from .callsheet import CallsheetError, ServiceUnreachable, UnreadableReply

POLL_SECONDS = 2.0


class Progress:
    """What the panel shows of a submission. The thread replaces its values, and the panel reads them."""

    def __init__(self):
        self.text = ""
        self.error = ""
        self.share = 0.0
        self.jobs = []
        self.is_active = False
        self._stop = threading.Event()
        self._thread = None

    def start(self, work, finished=None):
        """Runs `work(progress, stop)` in a thread, and then `finished`. Errors of `work` become `error`.

        A thread that still follows earlier jobs ends: its event `stop` is set. Refuses a second submission at the same time.
        """
        if self.is_active:
            raise RuntimeError("a submission is in progress")
        self.stop()
        stop = self._stop = threading.Event()
        self.error, self.share, self.is_active = "", 0.0, True

        def run():
            try:
                work(self, stop)
            except (CallsheetError, OSError) as error:
                self.error = str(error)
            finally:
                self.is_active = False
            if finished is not None and not self.error:
                finished(self, stop)

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def join(self):
        """Waits for the end of the thread."""
        if self._thread is not None:
            self._thread.join()

    def stop(self):
        """Ends the thread after its current request."""
        self._stop.set()

    @property
    def is_stopped(self):
        return self._stop.is_set()


def submit_all(client, submissions, copy=None):
    """Returns the work that submits jobs, one after another. Removes the copy of the scene if no job can have it."""

    def work(progress, stop):
        progress.jobs = []
        is_copy_used = False
        try:
            for number, each in enumerate(submissions):
                if stop.is_set():
                    return
                progress.text = f"Submitting {number + 1} of {len(submissions)}: {each.name}"
                try:
                    job = client.submit_product(each.product, each.parameters, name=each.name, **each.settings)
                except ServiceUnreachable as error:
                    is_copy_used = is_copy_used or error.is_reply_lost
                    raise
                except UnreadableReply:
                    is_copy_used = True
                    raise
                is_copy_used = True
                shown = {"id": job["id"], "name": job["name"], "status": job["status"], "url": client.job_url(job["id"])}
                progress.jobs = [*progress.jobs, {**shown, "counts": job["task_counts"]}]
                progress.share = (number + 1) / len(submissions)
            progress.text = f"Submitted {len(submissions)} {'job' if len(submissions) == 1 else 'jobs'}"
        finally:
            if copy is not None and not is_copy_used:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(copy)

    return work


def follow_jobs(client, ended):
    """Returns the work that reads the status of the jobs until all have ended."""

    def work(progress, stop):
        while True:
            read = []
            for shown in progress.jobs:
                if shown["status"] in ended:
                    read.append(shown)
                    continue
                try:
                    job = client.job(shown["id"])
                except (CallsheetError, OSError) as error:
                    read.append({**shown, "error": str(error)})
                else:
                    counts = job["task_counts"]
                    read.append({**shown, "status": job["status"], "counts": counts, "error": ""})
            if stop.is_set():
                return
            progress.jobs = read
            if all(job["status"] in ended for job in read) or stop.wait(POLL_SECONDS):
                return

    return work
