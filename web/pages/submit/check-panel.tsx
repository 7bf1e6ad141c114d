import { CircleCheck, LoaderCircle } from 'lucide-react';
import { Link } from 'wouter';
import type { CommandPreview, DryRun, DryRunStep } from '../../../client/resources.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { counted } from '../../parts/number-text.ts';
import { Notice } from '../../parts/notice.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { commandLine } from './model/command-line.ts';
import './check-panel.css';

/** The result of a dry run: the steps, tasks and commands of the job. */
export function CheckPanel({ data, isBusy }: { data: DryRun | undefined; isBusy: boolean }) {
  if (data === undefined) return isBusy ? <SkeletonLines lines={3} label="Checking" /> : null;
  const steps = data.steps.length;
  return (
    <div className="check-panel" data-busy={isBusy || undefined}>
      <div className="check-panel__head" role="status">
        {isBusy ? (
          <LoaderCircle aria-hidden="true" className="check-panel__busy" />
        ) : (
          <CircleCheck aria-hidden="true" className="check-panel__ok" />
        )}
        <div>
          <strong>{data.name}</strong>
          <div className="muted">
            {isBusy ? 'Checking…' : 'Checked:'} {counted(data.task_count, 'task')} in {counted(steps, 'step')}
          </div>
        </div>
      </div>
      <ol className="check-panel__steps">
        {data.steps.map((step) => (
          <Step key={step.name} step={step} isSingle={steps === 1} />
        ))}
      </ol>
    </div>
  );
}

function Step({ step, isSingle }: { step: DryRunStep; isSingle: boolean }) {
  const pools = step.unregistered_pools ?? [];
  return (
    <li>
      <div className="check-panel__step">
        <strong>{step.name}</strong>
        {!isSingle && <span className="muted number">{counted(step.task_count, 'task')}</span>}
      </div>
      {step.depends_on !== undefined && (
        <div className="check-panel__note">After {step.depends_on.join(', ')}</div>
      )}
      <Workers workers={step.workers} />
      {pools.length > 0 && (
        <Notice
          kind="warning"
          detail={`The tasks wait until ${pools.length === 1 ? 'this usage pool is' : 'these usage pools are'} created: ${pools.join(', ')}.`}
        />
      )}
      <Command title={step.task_count === 1 ? 'Command' : 'First command'} preview={step.first} />
      {step.task_count > 1 && <Command title="Last command" preview={step.last} />}
    </li>
  );
}

function Workers({ workers }: { workers: DryRunStep['workers'] }) {
  if (workers === undefined)
    return <div className="check-panel__note">The eligible workers are currently unknown.</div>;
  const { online, eligible, elsewhere, sentence, nearest_miss: miss } = workers;
  if (eligible > 0)
    return (
      <div className="check-panel__note">
        {eligible.toLocaleString('en')} of {online.toLocaleString('en')} online workers can run it
      </div>
    );
  const elsewhereText =
    online === 0 && elsewhere > 0 ? `\nOther farms have ${counted(elsewhere, 'online worker')}.` : '';
  return (
    <Notice kind="warning" detail={`${sentence ?? 'No worker can run it now.'}${elsewhereText}`}>
      {miss !== undefined && (
        <div>
          <Link href={`/workers/${encodeURIComponent(miss.worker_id)}`}>Show {miss.worker}</Link>
        </div>
      )}
    </Notice>
  );
}

function Command({ title, preview }: { title: string; preview: CommandPreview }) {
  const line = commandLine(preview);
  return (
    <details className="check-panel__command">
      <summary>
        {title} <span className="muted mono">{preview.task}</span>
      </summary>
      <div className="check-panel__line">
        {/* Long commands scroll, so they must be reachable by keyboard. */}
        <pre tabIndex={0}>{line}</pre>
        <CopyButton text={line} label={`Copy ${title.toLowerCase()}`} />
      </div>
    </details>
  );
}
