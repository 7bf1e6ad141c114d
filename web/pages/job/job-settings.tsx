import { useQuery } from "@tanstack/react-query";
import type { Rest } from "../../../client/rest.ts";
import type { JobDetail, JobUpdate } from "../../../client/resources.ts";
import { KeyValues } from "../../parts/key-values.tsx";
import { hasJobEnded } from "../../state/ended.ts";
import { queries } from "../../state/queries.ts";
import { useService } from "../../state/service.tsx";
import { isOutdated } from "../../state/use-opened-version.ts";
import { toasts } from "../../state/toasts.ts";
import { usePermissions } from "../../state/use-permissions.ts";
import { EditableNumber } from "./editable-number.tsx";
import { OrderPreview } from "./order-preview.tsx";
import { StartTime } from "./start-time.tsx";
import { capText } from "./model/cap-text.ts";
import { retrySourceOf, type RetrySetting } from "./model/retry-source.ts";

const MAX_INT = 2_147_483_647;
const MAX_CAP = 999_999_999;

interface Setting {
  readonly name: "priority" | "max_concurrent_tasks" | RetrySetting;
  readonly label: string;
  readonly min: number;
  readonly valueOf: (job: JobDetail) => number;
  readonly shown: (value: number, job: JobDetail) => string;
  /** Text of the toast after a change. */
  readonly done: (value: number) => string;
}

const SETTINGS: readonly Setting[] = [
  {
    name: "priority",
    label: "Priority",
    min: -MAX_INT - 1,
    valueOf: (job) => job.priority,
    shown: String,
    done: (value) => `Priority set to ${value}`,
  },
  {
    name: "max_concurrent_tasks",
    label: "Concurrent tasks",
    min: 0,
    valueOf: (job) => job.max_concurrent_tasks ?? 0,
    shown: capText,
    done: (value) =>
      value === 0
        ? "Cap removed"
        : value === 1
          ? "At most 1 task runs at once"
          : `At most ${value} tasks run at once`,
  },
  {
    name: "max_attempts",
    label: "Attempts",
    min: 1,
    valueOf: (job) => job.effective_retry.max_attempts,
    shown: (value) => `${value.toLocaleString("en")} per task`,
    done: (value) => `Attempts set to ${value}`,
  },
  {
    name: "retry_delay_seconds",
    label: "Retry delay",
    min: 0,
    valueOf: (job) => job.effective_retry.retry_delay_seconds,
    shown: (value) =>
      value === 0 ? "none" : `${value.toLocaleString("en")} s`,
    done: (value) => `Retry delay set to ${value} s`,
  },
  {
    name: "failure_limit",
    label: "Failure limit",
    min: 0,
    valueOf: (job) => job.effective_retry.failure_limit,
    shown: (value, job) => {
      const failures = job.failed_attempts.toLocaleString("en");
      return value === 0
        ? `none, ${failures} so far`
        : `${failures} of ${value.toLocaleString("en")}`;
    },
    done: (value) =>
      value === 0 ? "Failure limit removed" : `Failure limit set to ${value}`,
  },
];

/**
 * Changes settings of a job with `guarded`, unless another user has changed one of them meanwhile. A change of other
 * settings does not matter.
 */
async function patchUnlessChanged(
  guarded: Rest,
  rest: Rest,
  id: string,
  body: JobUpdate,
): Promise<void> {
  const path = { id };
  try {
    await guarded.call("patch", "/jobs/{id}", { path, body });
  } catch (error) {
    if (
      !isOutdated(error) ||
      error.errors.some(({ pointer }) => pointer.slice(1) in body)
    )
      throw error;
    await rest.call("patch", "/jobs/{id}", { path, body });
  }
}

/** The priority and the retry policy of a job, each with a button to change it. */
export function JobSettings({
  job,
  onChanged,
}: {
  job: JobDetail;
  onChanged: () => void;
}) {
  const { rest } = useService();
  const { why } = usePermissions();
  const queue = useQuery(queries.queues(rest)).data?.find(
    ({ id }) => id === job.queue_id,
  );
  const farm = useQuery(queries.farms(rest)).data?.find(
    ({ id }) => id === job.farm_id,
  );
  const save = async (
    body: JobUpdate,
    done: string,
    client: Rest,
  ): Promise<void> => {
    try {
      await patchUnlessChanged(client, rest, job.id, body);
      toasts.done(done);
    } finally {
      // After a refusal the page shows the values of the other user.
      onChanged();
    }
  };
  const hasEnded = hasJobEnded(job.status);
  const noteOf = (name: Setting["name"]): { note?: string } => {
    const source =
      name === "priority" || name === "max_concurrent_tasks"
        ? null
        : retrySourceOf(name, job, queue, farm);
    return source === null ? {} : { note: `from ${source}` };
  };
  return (
    <KeyValues
      facts={[
        ["Starts", <StartTime key="start" job={job} onChanged={onChanged} />],
        ...SETTINGS.map(
          ({ name, label, min, valueOf, shown, done }) =>
            [
              label,
              <EditableNumber
                key={name}
                label={label}
                value={valueOf(job)}
                shown={shown(valueOf(job), job)}
                {...noteOf(name)}
                min={min}
                max={name === "max_concurrent_tasks" ? MAX_CAP : MAX_INT}
                pointer={`/${name}`}
                disabledReason={why("jobs.write")}
                {...(name === "priority" &&
                  !hasEnded && {
                    preview: (value, choose) => (
                      <OrderPreview
                        jobId={job.id}
                        priority={value}
                        onChoose={choose}
                      />
                    ),
                  })}
                read={(client) =>
                  client.callWithHeaders("get", "/jobs/{id}", {
                    path: { id: job.id },
                  })
                }
                onSave={(value, client) =>
                  save({ [name]: value }, done(value), client)
                }
              />,
            ] as const,
        ),
      ]}
    />
  );
}
