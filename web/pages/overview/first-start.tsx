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
import { FIRST_STEPS, submitCommand, type FirstStep } from './first-start-model.ts';
import { WorkerCommand } from './worker-command.tsx';
import './first-start.css';

/** The setup steps of a new farm, with a form or a command for each step that is not done. */
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
    queue: () => (farm === null ? <p className="muted">Create the farm first.</p> : <NewQueue farm={farm} />),
    worker: () => <NewWorker farm={farms.length > 1 ? farm : null} />,
    job: () => <NewJob farm={farm} queue={queue} />,
  };
  const titles: Readonly<Record<FirstStep, readonly [missing: string, done: string]>> = {
    farm: ['Create a farm', `Farm ${farm?.name ?? ''} created`],
    queue: ['Create a queue', `Queue ${queue?.name ?? ''} created`],
    worker: ['Start a worker', 'Worker connected'],
    job: ['Submit a job', 'Job submitted'],
  };
  return (
    <section className="first-start card" aria-labelledby="first-start">
      <h2 id="first-start">Finish setup to start rendering</h2>
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
      label="Farm name"
      initialName="main"
      hint="A farm has queues, jobs, and the workers that run the jobs."
      create={(name) => rest.call('post', '/farms', { body: { name } })}
    />
  );
}

function NewQueue({ farm }: { farm: Farm }) {
  const { rest } = useService();
  return (
    <NameForm
      what="queue"
      label={`Queue name in ${farm.name}`}
      initialName="default"
      hint="You submit jobs to a queue."
      create={(name) => rest.call('post', '/queues', { body: { name, farm_id: farm.id } })}
    />
  );
}

function NewWorker({ farm }: { farm: Farm | null }) {
  return (
    <div className="stack">
      <p className="muted">
        Install Callsheet on each render machine and run this command. The worker appears here when it has
        registered.
      </p>
      <WorkerCommand farm={farm} />
    </div>
  );
}

function NewJob({ farm, queue }: { farm: Farm | null; queue: Queue | null }) {
  const { why } = usePermissions();
  if (farm === null || queue === null) return <p className="muted">Create the farm and its queue first.</p>;
  return (
    <div className="stack">
      <p className="muted">Submit an OpenJD template here or in a shell:</p>
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
  initialName,
  create,
}: {
  what: 'farm' | 'queue';
  label: string;
  hint: string;
  initialName: string;
  create: (name: string) => Promise<unknown>;
}) {
  const client = useQueryClient();
  const { why } = usePermissions();
  const [name, setName] = useState(initialName);
  const [problem, setProblem] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const send = async (): Promise<void> => {
    setIsBusy(true);
    setProblem('');
    setError(null);
    try {
      await create(name);
      toasts.done(`${what === 'farm' ? 'Farm' : 'Queue'} ${name} created`);
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
          Create {what}
        </SubmitButton>
      </form>
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </>
  );
}
