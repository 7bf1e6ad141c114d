import type { JobDetail, Step } from "../../../../client/resources.ts";
import { toasts } from "../../../state/toasts.ts";
import { usePermissions } from "../../../state/use-permissions.ts";
import { EditableNumber } from "../editable-number.tsx";
import { capText } from "../model/cap-text.ts";
import { counted } from "../../../parts/number-text.ts";

const MAX_CAP = 999_999_999;

interface StepCapProps {
  readonly job: JobDetail;
  readonly step: Step;
  readonly onChanged: () => void;
}

/** The cap on the concurrent tasks of a step, with a button to change it. */
export function StepCap({ job, step: { name }, onChanged }: StepCapProps) {
  const { why } = usePermissions();
  const cap = job.step_max_concurrent_tasks?.[name] ?? 0;
  return (
    <EditableNumber
      label="Concurrent tasks"
      value={cap}
      shown={capText(cap)}
      min={0}
      max={MAX_CAP}
      pointer={`/step_max_concurrent_tasks/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`}
      disabledReason={why("jobs.write")}
      read={(client) =>
        client.callWithHeaders("get", "/jobs/{id}", { path: { id: job.id } })
      }
      onSave={async (value, client) => {
        const body = { step_max_concurrent_tasks: { [name]: value } };
        await client.call("patch", "/jobs/{id}", {
          path: { id: job.id },
          body,
        });
        const most = `At most ${counted(value, "task")} of the step at once`;
        toasts.done(value === 0 ? "Cap removed" : most);
        onChanged();
      }}
    />
  );
}
