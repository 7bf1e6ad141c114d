import { useQuery } from '@tanstack/react-query';
import type { Queue } from '../../../client/resources.ts';
import { CheckField, NumberField, SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Draft } from './model/draft.ts';
import type { NumberName, DestinationField } from './model/submission.ts';
import { NUMBER_RULES } from './model/submission.ts';
import { UpstreamPicker } from './upstream-picker.tsx';

export interface DestinationSectionProps {
  readonly draft: Draft;
  /** Returns the error to show at a field; empty for none. */
  readonly errorOf: (name: DestinationField) => string;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onLeave: (name: DestinationField) => void;
  /** Name of the job unless the user enters another one; null if only the template names it. */
  readonly jobName: string | null;
}

/** The destination of a job, its owner, its priority, its upstream jobs and its retry policy. */
export function DestinationSection(props: DestinationSectionProps) {
  const { draft, errorOf, onChange, onLeave, jobName } = props;
  const { can } = usePermissions();
  return (
    <section className="card stack" aria-label="Destination">
      <QueueChoice {...props} />
      {jobName !== null && (
        <TextField
          label="Job name"
          value={draft.jobName}
          placeholder={jobName}
          error={errorOf('jobName')}
          onChange={(name) => onChange({ jobName: name })}
          onLeave={() => onLeave('jobName')}
        />
      )}
      <div className="submit__pair">
        <TextField
          label="Project"
          value={draft.project}
          error={errorOf('project')}
          onChange={(project) => onChange({ project })}
          onLeave={() => onLeave('project')}
        />
        <NumberInput name="priority" label="Priority" placeholder="50" {...props} />
      </div>
      {can('jobs.submit_as') && (
        <TextField
          label="Owner"
          value={draft.owner}
          placeholder="You"
          error={errorOf('owner')}
          onChange={(owner) => onChange({ owner })}
          onLeave={() => onLeave('owner')}
        />
      )}
      <UpstreamPicker
        farmId={draft.farmId}
        chosen={draft.dependsOn}
        error={errorOf('dependsOn')}
        onChange={(dependsOn) => onChange({ dependsOn })}
      />
      <CheckField
        label="Submit paused"
        hint="No task starts until you resume the job."
        isChecked={draft.isPaused}
        onChange={(isPaused) => onChange({ isPaused })}
      />
      <TextField
        type="datetime-local"
        label="Start after"
        hint="No task starts before this time (your time zone)."
        value={draft.startAfter}
        error={errorOf('startAfter')}
        onChange={(startAfter) => onChange({ startAfter })}
      />
      <NumberInput
        name="maxConcurrentTasks"
        label="Concurrent tasks"
        hint="At most this many tasks of the job run at the same time."
        placeholder="no cap"
        {...props}
      />
      <RetryPolicy {...props} />
    </section>
  );
}

function QueueChoice({ draft, errorOf, onChange, onLeave }: DestinationSectionProps) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data;
  const queues = useQuery(queries.queues(rest)).data;
  const ofFarm = (queues ?? []).filter((queue) => queue.farm_id === draft.farmId);
  const chosen = ofFarm.find(({ id }) => id === draft.queueId);
  const hint = chosen === undefined ? '' : queueHint(chosen);
  return (
    <>
      {farms?.length === 0 && (
        <SetupNotice title="No farms yet" detail="A job belongs to a queue of a farm." href="/farms">
          Create farm
        </SetupNotice>
      )}
      {draft.farmId !== '' && queues !== undefined && ofFarm.length === 0 && (
        <SetupNotice title="No queues in this farm yet" detail="You submit a job to a queue." href="/queues">
          Create queue
        </SetupNotice>
      )}
      <div className="submit__pair">
        <SelectField
          label="Farm"
          isRequired
          value={draft.farmId}
          {...(draft.farmId === '' && { none: 'Choose…' })}
          choices={(farms ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          error={errorOf('farmId')}
          onChange={(farmId) => onChange({ farmId, queueId: '', dependsOn: [] })}
          onLeave={() => onLeave('farmId')}
        />
        <SelectField
          label="Queue"
          isRequired
          value={draft.queueId}
          {...(draft.queueId === '' && { none: 'Choose…' })}
          choices={ofFarm.map(({ id, name }) => ({ value: id, label: name }))}
          {...(hint !== '' && { hint })}
          error={errorOf('queueId')}
          onChange={(queueId) => onChange({ queueId })}
          onLeave={() => onLeave('queueId')}
        />
      </div>
    </>
  );
}

function SetupNotice({
  title,
  detail,
  href,
  children,
}: {
  title: string;
  detail: string;
  href: string;
  children: string;
}) {
  return (
    <Notice kind="warning" title={title} detail={detail}>
      <div>
        <LinkButton href={href} size="small">
          {children}
        </LinkButton>
      </div>
    </Notice>
  );
}

const queueHint = ({ paused }: Queue): string =>
  paused ? 'The queue is paused. Its jobs wait until you resume it.' : '';

/** The retry policy. Empty fields are inherited from the queue and the farm. */
function RetryPolicy(props: DestinationSectionProps) {
  const names = ['maxAttempts', 'retryDelaySeconds', 'failureLimit'] as const;
  const isOwn = names.some((name) => props.draft[name] !== '' || props.errorOf(name) !== '');
  return (
    <details className="submit__retry" open={isOwn || undefined}>
      <summary>Retry policy{isOwn ? '' : ' (from the queue)'}</summary>
      <div className="submit__pair">
        <NumberInput name="maxAttempts" label="Attempts per task" placeholder="from queue" {...props} />
        <NumberInput
          name="retryDelaySeconds"
          label="Retry delay in seconds"
          placeholder="from queue"
          {...props}
        />
        <NumberInput
          name="failureLimit"
          label="Failure limit of the job"
          hint="The job is paused after this many failures. Enter 0 for no limit."
          placeholder="from queue"
          {...props}
        />
      </div>
    </details>
  );
}

function NumberInput({
  name,
  label,
  hint,
  placeholder,
  draft,
  errorOf,
  onChange,
  onLeave,
}: DestinationSectionProps & {
  readonly name: NumberName;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder: string;
}) {
  const { min, max } = NUMBER_RULES[name];
  return (
    <NumberField
      label={label}
      value={draft[name]}
      {...(hint !== undefined && { hint })}
      min={min}
      max={max}
      step={1}
      placeholder={placeholder}
      error={errorOf(name)}
      onChange={(text) => onChange({ [name]: text })}
      onLeave={() => onLeave(name)}
    />
  );
}
