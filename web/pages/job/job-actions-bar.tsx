import { Ban, Bug, Pause, Play, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import type { JobDetail } from "../../../client/resources.ts";
import { counted } from "../../parts/number-text.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { ActionMenu } from "../../parts/menu.tsx";
import { useService } from "../../state/service.tsx";
import { toasts } from "../../state/toasts.ts";
import { usePermissions } from "../../state/use-permissions.ts";
import { disabledReason, type JobAction } from "../jobs/job-actions.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { RetryDialog } from "./retry-dialog.tsx";
import { useJobMenu, type JobDialog } from "./use-job-menu.tsx";
import { useJobRequests, type JobRequests } from "./use-job-requests.ts";

/** The actions on a job: buttons for the main ones, a menu for the others. */
export function JobActions({
  job,
  onChanged,
}: {
  job: JobDetail;
  onChanged: () => void;
}) {
  const { why } = usePermissions();
  const [dialog, setDialog] = useState<JobDialog | null>(null);
  const requests = useJobRequests(job, onChanged);
  const items = useJobMenu(job, setDialog);
  const isPaused = job.status === "paused";
  const reasonAgainst = (action: JobAction): string =>
    why("jobs.write") || disabledReason(action, job);
  const close = (): void => setDialog(null);
  return (
    <>
      {job.failure_summary.failed_count > 0 && <FirstFailure job={job} />}
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        disabledReason={reasonAgainst("retry")}
        isBusy={requests.isBusy}
        title="Retries all failed and canceled tasks"
        onPress={() => requests.retryAll(() => setDialog("retry"))}
      >
        Retry failed tasks
      </Button>
      <Button
        icon={
          isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />
        }
        disabledReason={reasonAgainst(isPaused ? "resume" : "pause")}
        isBusy={requests.isBusy}
        onPress={isPaused ? requests.resume : requests.pause}
      >
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <Button
        icon={<Ban aria-hidden="true" />}
        disabledReason={reasonAgainst("cancel")}
        isBusy={requests.isBusy}
        onPress={() => setDialog("cancel")}
      >
        Cancel…
      </Button>
      <ActionMenu label="More actions" items={items} />
      {dialog === "retry" && (
        <RetryDialog job={job} onChanged={onChanged} onClose={close} />
      )}
      {dialog === "move" && (
        <MoveDialog job={job} onChanged={onChanged} onClose={close} />
      )}
      {dialog === "cancel" && (
        <CancelDialog job={job} requests={requests} onClose={close} />
      )}
      {dialog === "delete" && (
        <DeleteDialog job={job} requests={requests} onClose={close} />
      )}
    </>
  );
}

interface ConfirmationProps {
  readonly job: JobDetail;
  readonly requests: JobRequests;
  readonly onClose: () => void;
}

function CancelDialog({ job, requests, onClose }: ConfirmationProps) {
  return (
    <ConfirmDialog
      title={`Cancel ${job.name}?`}
      action="Cancel job"
      onClose={onClose}
      onConfirm={requests.cancel}
    >
      <p>
        {runningText(job)} No new tasks start. You can retry canceled tasks
        later.
      </p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ job, requests, onClose }: ConfirmationProps) {
  return (
    <ConfirmDialog
      title={`Delete ${job.name}?`}
      action="Delete job"
      onClose={onClose}
      onConfirm={requests.remove}
    >
      <p>
        {runningText(job)} Deletes {counted(job.task_counts.total, "task")} with
        all attempts and logs, and cancels the jobs that wait for this job.{" "}
        <strong>You cannot undo this.</strong>
      </p>
    </ConfirmDialog>
  );
}

function runningText({
  task_counts: { running, assigned },
}: JobDetail): string {
  const active = running + assigned;
  if (active === 0) return "No tasks are running.";
  return active === 1
    ? "The running task is stopped."
    : `The ${active.toLocaleString("en")} running tasks are stopped.`;
}

/** Opens the task that failed first. */
function FirstFailure({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const [isBusy, setIsBusy] = useState(false);
  const show = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const { items } = await rest.call("get", "/jobs/{id}/tasks", {
        path: { id: job.id },
        query: {
          status: "failed",
          sort_by: "updated_at",
          sort_dir: "asc",
          limit: 1,
        },
      });
      const [first] = items;
      if (first !== undefined) navigate(`/tasks/${first.id}`);
    } catch (error) {
      toasts.failed(error, "Could not find the first failure");
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      icon={<Bug aria-hidden="true" />}
      isBusy={isBusy}
      onPress={() => void show()}
    >
      Show first failure
    </Button>
  );
}
