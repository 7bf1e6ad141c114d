import { useQuery } from '@tanstack/react-query';
import type { Queue } from '../../../client/resources.ts';
import { NumberField, SelectField, TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Draft } from './model/draft.ts';
import type { NumberName, PlaceName } from './model/submission.ts';
import { NUMBER_RULES } from './model/submission.ts';
import { UpstreamPicker } from './upstream-picker.tsx';

export interface PlaceSectionProps {
  readonly draft: Draft;
  /** What is to be said of a field now; empty for nothing. */
  readonly errorOf: (name: PlaceName) => string;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onLeave: (name: PlaceName) => void;
}

/** Where the job goes, whose it is, and how it is treated. */
export function DestinationSection(props: PlaceSectionProps) {
  const { draft, errorOf, onChange, onLeave } = props;
  const { rest } = useService();
  const { can, why } = usePermissions();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  const ofFarm = (queues.data ?? []).filter((queue) => queue.farm_id === draft.farmId);
  const queue = ofFarm.find(({ id }) => id === draft.queueId);
  const isWithoutFarm = farms.data?.length === 0;
  const isWithoutQueue = draft.farmId !== '' && queues.data !== undefined && ofFarm.length === 0;
  return (
    <section className="card stack" aria-label="Where and how">
      {isWithoutFarm && (
        <Notice kind="warning" title="There is no farm yet" detail="A job belongs to a queue of a farm.">
          <div>
            <LinkButton href="/farms" size="small">
              Create a farm
            </LinkButton>
          </div>
        </Notice>
      )}
      {isWithoutQueue && (
        <Notice kind="warning" title="The farm has no queue yet" detail="Jobs wait in a queue.">
          <div>
            <LinkButton href="/queues" size="small">
              Create a queue
            </LinkButton>
          </div>
        </Notice>
      )}
      <div className="submit__pair">
        <SelectField
          label="Farm"
          isRequired
          value={draft.farmId}
          {...(draft.farmId === '' && { none: 'Choose…' })}
          choices={(farms.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          error={errorOf('farmId')}
          onChange={(farmId) => onChange({ farmId, queueId: '', dependsOn: [] })}
          onLeave={() => onLeave('farmId')}
        />
        <SelectField
          label="Queue"
          isRequired
          value={draft.queueId}
          {...(draft.queueId === '' && { none: 'Choose…' })}
          choices={ofFarm.map((one) => ({ value: one.id, label: one.name }))}
          {...(queue !== undefined && queueHint(queue) !== '' && { hint: queueHint(queue) })}
          error={errorOf('queueId')}
          onChange={(queueId) => onChange({ queueId })}
          onLeave={() => onLeave('queueId')}
        />
      </div>
      <div className="submit__pair">
        <TextField
          label="Project"
          value={draft.project}
          error={errorOf('project')}
          onChange={(project) => onChange({ project })}
          onLeave={() => onLeave('project')}
        />
        <Count name="priority" label="Priority" placeholder="50" {...props} />
      </div>
      <TextField
        label="Owner"
        value={draft.owner}
        isOff={!can('jobs.submit_as')}
        placeholder="You"
        {...(!can('jobs.submit_as') && { hint: why('jobs.submit_as') })}
        error={errorOf('owner')}
        onChange={(owner) => onChange({ owner })}
        onLeave={() => onLeave('owner')}
      />
      <UpstreamPicker
        farmId={draft.farmId}
        chosen={draft.dependsOn}
        error={errorOf('dependsOn')}
        onChange={(dependsOn) => onChange({ dependsOn })}
      />
      <Retry {...props} />
    </section>
  );
}

const queueHint = ({ paused }: Queue): string =>
  paused ? 'The queue is paused: its jobs wait until it is resumed.' : '';

/** Empty fields leave it to the queue and the farm. */
function Retry(props: PlaceSectionProps) {
  const names = ['maxAttempts', 'retryDelaySeconds', 'failureLimit'] as const;
  const isOwn = names.some((name) => props.draft[name] !== '' || props.errorOf(name) !== '');
  return (
    <details className="submit__retry" open={isOwn || undefined}>
      <summary>Retry policy{isOwn ? '' : ': that of the queue'}</summary>
      <div className="submit__pair">
        <Count name="maxAttempts" label="Attempts of a task" placeholder="Queue's" {...props} />
        <Count name="retryDelaySeconds" label="Seconds between" placeholder="Queue's" {...props} />
        <Count
          name="failureLimit"
          label="Failures of the job"
          hint="Then it is parked. 0 is no limit."
          placeholder="Queue's"
          {...props}
        />
      </div>
    </details>
  );
}

function Count({
  name,
  label,
  hint,
  placeholder,
  draft,
  errorOf,
  onChange,
  onLeave,
}: PlaceSectionProps & {
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
