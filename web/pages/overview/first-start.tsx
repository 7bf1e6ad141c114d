import { useQueryClient } from '@tanstack/react-query';
import { Check, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import type { Farm, Queue } from '../../../client/resources.ts';
import { LinkButton, SubmitButton } from '../../parts/button.tsx';
import { classNames } from '../../parts/class-names.ts';
import { CommandLine } from '../../parts/empty-state.tsx';
import { TextField } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { FIRST_STEPS, submitCommand, workerCommand, type FirstStep } from './first-start-model.ts';
import './first-start.css';

/** Of a managed bus (docs/configuration.md, `bus.addr`). */
const BUS_PORT = '14222';

/** Says what a new farm lacks, and offers to make it. */
export function FirstStart({
  missing,
  farms,
  queues,
}: {
  missing: readonly FirstStep[];
  farms: readonly Farm[];
  queues: readonly Queue[];
}) {
  const farm = farms[0] ?? null;
  const queue = queues[0] ?? null;
  const content: Readonly<Record<FirstStep, () => ReactNode>> = {
    farm: () => <NewFarm />,
    queue: () => (farm === null ? <p className="muted">First the farm.</p> : <NewQueue farm={farm} />),
    worker: () => <NewWorker farm={farms.length > 1 ? farm : null} />,
    job: () => <NewJob farm={farm} queue={queue} />,
  };
  const titles: Readonly<Record<FirstStep, readonly [missing: string, done: string]>> = {
    farm: ['Make a farm', `The farm ${farm?.name ?? ''} is there`],
    queue: ['Make a queue', `The queue ${queue?.name ?? ''} is there`],
    worker: ['Start a worker', 'A worker has come'],
    job: ['Submit a job', 'A job has been submitted'],
  };
  return (
    <section className="first-start card" aria-labelledby="first-start">
      <h2 id="first-start">What is missing before frames come out</h2>
      <ol className="first-start__steps">
        {FIRST_STEPS.map((step, index) => {
          const isDone = !missing.includes(step);
          return (
            <li key={step} className={classNames('first-start__step', isDone && 'first-start__step--done')}>
              <span
                className={classNames('first-start__mark', isDone && 'first-start__mark--done')}
                aria-hidden="true"
              >
                {isDone ? <Check /> : index + 1}
              </span>
              <div>
                <h3>{titles[step][isDone ? 1 : 0]}</h3>
                {!isDone && content[step]()}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function NewFarm() {
  const { rest } = useService();
  return (
    <NameForm
      what="farm"
      label="Name of the farm"
      begin="main"
      hint="A farm holds queues, jobs and the workers that run them."
      create={(name) => rest.call('post', '/farms', { body: { name } })}
    />
  );
}

function NewQueue({ farm }: { farm: Farm }) {
  const { rest } = useService();
  return (
    <NameForm
      what="queue"
      label={`Name of the queue of ${farm.name}`}
      begin="default"
      hint="Jobs are submitted to a queue."
      create={(name) => rest.call('post', '/queues', { body: { name, farm_id: farm.id } })}
    />
  );
}

function NewWorker({ farm }: { farm: Farm | null }) {
  return (
    <div className="stack">
      <p className="muted">
        On each machine that renders, with Callsheet installed. It appears here as soon as it has registered.
        The bus listens on the loopback alone unless <code>bus.addr</code> says otherwise: for workers on
        other machines set that first.
      </p>
      <CommandLine command={workerCommand(location.hostname, BUS_PORT, farm?.name ?? null)} />
    </div>
  );
}

function NewJob({ farm, queue }: { farm: Farm | null; queue: Queue | null }) {
  const { why } = usePermissions();
  if (farm === null || queue === null) return <p className="muted">First the farm and its queue.</p>;
  return (
    <div className="stack">
      <p className="muted">With an OpenJD template, here or in a shell:</p>
      <div>
        {why('jobs.write') === '' ? (
          <LinkButton href="/submit" look="primary" icon={<Plus aria-hidden="true" />}>
            Submit a job
          </LinkButton>
        ) : (
          <span className="muted">{why('jobs.write')}</span>
        )}
      </div>
      <CommandLine command={submitCommand(location.origin, farm.name, queue.name)} />
    </div>
  );
}

function NameForm({
  what,
  label,
  hint,
  begin,
  create,
}: {
  what: 'farm' | 'queue';
  label: string;
  hint: string;
  begin: string;
  create: (name: string) => Promise<unknown>;
}) {
  const client = useQueryClient();
  const { why } = usePermissions();
  const [name, setName] = useState(begin);
  const [problem, setProblem] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    setProblem('');
    setError(null);
    try {
      await create(name);
      toasts.done(`The ${what} ${name} is created`);
      await client.invalidateQueries({ queryKey: [`${what}s`] });
    } catch (reason) {
      const pointed =
        reason instanceof ProblemError ? reason.errors.find(({ pointer }) => pointer === '/name') : undefined;
      if (pointed === undefined) setError(reason);
      else setProblem(pointed.detail);
    }
    setIsBusy(false);
  };
  return (
    <>
      <form
        className="first-start__form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <TextField label={label} hint={hint} value={name} onChange={setName} error={problem} isRequired />
        <SubmitButton isBusy={isBusy} disabledReason={why('infra.manage')}>
          Create the {what}
        </SubmitButton>
      </form>
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </>
  );
}
