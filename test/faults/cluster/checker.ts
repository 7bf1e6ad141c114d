import type { History, JobState, NodeView, Submission, TaskState } from './history.ts';
import type { RecordedProcess } from './task-program.ts';

export const CLASSES = ['ok', 'lost', 'doubled', 'stuck', 'wrong'] as const;
export type Class = (typeof CLASSES)[number];
export const SUBJECTS = ['submission', 'lease', 'result', 'order', 'read', 'register', 'node'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The class of one acknowledged thing. */
export interface Verdict {
  readonly subject: Subject;
  readonly class: Class;
  /** Subject of the verdict, with the reason unless it is ok. */
  readonly text: string;
}

export type Counts = Readonly<Record<Subject, Readonly<Record<Class, number>>>>;

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled']);

/**
 * Classifies everything that clients and workers have seen of a cluster, after its last fault has ended and it had time to
 * finish:
 *
 * - lost: it was acknowledged, or a worker did it, and a node does not know it.
 * - doubled: it happened twice: two jobs of one idempotency key, two processes of a task at the same time, two successes.
 * - stuck: it has not ended.
 * - wrong: nodes disagree, or know what has never happened.
 */
export function classify(history: History): Verdict[] {
  return [
    ...history.submissions.flatMap((submission) => ofSubmission(submission, history)),
    ...ofLeases(history),
    ...ofResults(history),
    ...ofOrders(history),
    ...ofReads(history),
    ...ofRegisters(history),
    ...ofNodes(history),
  ];
}

/** Counts the classes by subject. */
export function countsOf(verdicts: readonly Verdict[]): Counts {
  const count = (subject: Subject, kind: Class): number =>
    verdicts.filter((verdict) => verdict.subject === subject && verdict.class === kind).length;
  return Object.fromEntries(
    SUBJECTS.map((subject) => [
      subject,
      Object.fromEntries(CLASSES.map((kind) => [kind, count(subject, kind)])),
    ]),
  ) as Counts;
}

const judge = (subject: Subject, kind: Class, text: string): Verdict => ({ subject, class: kind, text });

/** Returns the first complaint, or ok. */
function judged(subject: Subject, id: string, complaints: Iterable<readonly [Class, string]>): Verdict {
  for (const [kind, text] of complaints) return judge(subject, kind, `${subject} ${id}: ${text}`);
  return judge(subject, 'ok', `${subject} ${id}`);
}

/** A submission without an acknowledgement may have made no job, but not two. */
function ofSubmission(submission: Submission, { views }: History): Verdict[] {
  const { key, jobId, tasks } = submission;
  const isKnown = views.some(({ jobs }) => jobs.some(({ name }) => name === key));
  if (jobId === null && !isKnown) return [];
  function* complaints(): Generator<readonly [Class, string]> {
    for (const { node, jobs } of views) {
      const found = jobs.filter(({ name }) => name === key);
      if (found.length > 1) yield ['doubled', `${found.length} jobs on ${node}`];
      const [job] = found;
      if (job === undefined) yield ['lost', `no job ${jobId ?? ''} on ${node}`];
      else if (jobId !== null && job.id !== jobId)
        yield ['lost', `the acknowledged job ${jobId} is ${job.id} on ${node}`];
      else if (job.tasks.length !== tasks)
        yield ['lost', `${job.tasks.length} of ${tasks} tasks of ${job.id} on ${node}`];
      else if (!ENDED.has(job.status)) yield ['stuck', `${job.id} is ${job.status} on ${node}`];
    }
  }
  return [judged('submission', key, complaints())];
}

/** A lease is a process that a worker started for a task. */
function ofLeases({ processes, views }: History): Verdict[] {
  const byTask = byTaskOf(processes);
  return [...byTask].flatMap(([id, ofTask]) => {
    const [{ job, task } = { job: '', task: 0 }] = ofTask;
    const ordered = [...ofTask].sort((one, other) => one.startedAt - other.startedAt);
    return ordered.map((process, index) => {
      function* complaints(): Generator<readonly [Class, string]> {
        const twin = ordered.slice(0, index).find((earlier) => earlier.lastSignAt > process.startedAt);
        if (twin !== undefined) yield ['doubled', overlapText(twin, process)];
        for (const view of views) {
          const attempts = taskOf(view, job, task)?.attempts.length ?? 0;
          // Attempts may have no process: their lease did not arrive.
          if (index >= attempts)
            yield [
              'lost',
              `process ${index + 1} of ${ordered.length}, but ${attempts} attempts on ${view.node}`,
            ];
        }
      }
      return judged('lease', `${id} on ${process.worker}`, complaints());
    });
  });
}

function byTaskOf(processes: readonly RecordedProcess[]): Map<string, RecordedProcess[]> {
  const byTask = new Map<string, RecordedProcess[]>();
  for (const process of processes) {
    const id = `${process.job}/${process.task}`;
    const known = byTask.get(id);
    if (known === undefined) byTask.set(id, [process]);
    else known.push(process);
  }
  return byTask;
}

const overlapText = (one: RecordedProcess, other: RecordedProcess): string =>
  `ran at the same time on ${one.worker} (until ${one.lastSignAt}) and ${other.worker} (from ${other.startedAt})`;

/** The end of a task: attempts on record, and processes that have ended by themselves. */
function ofResults({ processes, views }: History): Verdict[] {
  const byTask = byTaskOf(processes);
  return views.flatMap((view) =>
    view.jobs.flatMap((job) =>
      job.tasks.map((task) => {
        const ofTask = byTask.get(`${job.name}/${task.number}`) ?? [];
        return judged(
          'result',
          `${job.name}/${task.number} on ${view.node}`,
          complaintsOfTask(job, task, ofTask),
        );
      }),
    ),
  );
}

function* complaintsOfTask(
  job: JobState,
  task: TaskState,
  processes: readonly RecordedProcess[],
): Generator<readonly [Class, string]> {
  const { attempts } = task;
  const succeeded = attempts.filter(({ status }) => status === 'succeeded').length;
  const finished = processes.filter(({ end }) => end === 'succeeded').length;
  if (succeeded > 1) yield ['doubled', `${succeeded} attempts succeeded`];
  if (attempts.some(({ isOpen }) => isOpen)) yield ['stuck', 'an attempt is open'];
  if (attempts.some(({ number }, index) => number !== index + 1))
    yield ['lost', `attempts ${attempts.map(({ number }) => number).join(', ')}`];
  if (finished > 0 && succeeded === 0 && job.status !== 'canceled')
    yield [ENDED.has(job.status) ? 'lost' : 'stuck', 'its process succeeded, but no attempt'];
  if (succeeded > finished) yield ['wrong', 'an attempt succeeded, but no process'];
  if ((task.status === 'succeeded') !== succeeded > 0)
    yield ['wrong', `the task is ${task.status} with ${succeeded} successful attempts`];
}

function ofOrders({ orders, views }: History): Verdict[] {
  return orders.map(({ jobId, what }) => {
    function* complaints(): Generator<readonly [Class, string]> {
      for (const view of views) {
        const job = view.jobs.find(({ id }) => id === jobId);
        if (job === undefined) yield ['lost', `no such job on ${view.node}`];
        else if (what === 'cancel' && job.status !== 'canceled')
          yield ['lost', `${job.status} on ${view.node}`];
        else if (what === 'retry' && job.status === 'failed') yield ['lost', `still failed on ${view.node}`];
        else if (!ENDED.has(job.status)) yield ['stuck', `${job.status} on ${view.node}`];
      }
    }
    return judged('order', `${what} of ${jobId}`, complaints());
  });
}

/** A client that has read the end of a job relies on it, unless the job is retried. */
function ofReads({ observations, submissions, views }: History): Verdict[] {
  const changed = new Set(submissions.filter(({ failsFirst }) => failsFirst).map(({ jobId }) => jobId));
  return observations
    .filter(({ jobId, status }) => ENDED.has(status) && !(changed.has(jobId) && status === 'failed'))
    .map(({ jobId, node, status }) => {
      function* complaints(): Generator<readonly [Class, string]> {
        for (const view of views) {
          const final = view.jobs.find(({ id }) => id === jobId)?.status ?? 'missing';
          if (final !== status)
            yield ['lost', `read as ${status} from ${node}, but ${final} on ${view.node}`];
        }
      }
      return judged('read', jobId, complaints());
    });
}

function ofRegisters({ registers, views }: History): Verdict[] {
  return registers.map(({ name, acknowledged, unknown }) => {
    function* complaints(): Generator<readonly [Class, string]> {
      for (const view of views) {
        const value = view.registers.get(name);
        if (acknowledged !== null && value !== acknowledged && (value === undefined || !unknown.has(value)))
          yield ['lost', `${acknowledged} was acknowledged, but ${value ?? 'nothing'} is on ${view.node}`];
      }
    }
    return judged('register', name, complaints());
  });
}

/** All nodes must say the same. */
function ofNodes({ views: [first, ...others] }: History): Verdict[] {
  return first === undefined ? [] : others.map((view) => judged('node', view.node, differences(first, view)));
}

function* differences(first: NodeView, view: NodeView): Generator<readonly [Class, string]> {
  const jobs = new Map(first.jobs.map((job) => [job.id, JSON.stringify(job)]));
  const different = view.jobs.filter((job) => jobs.get(job.id) !== JSON.stringify(job));
  if (view.jobs.length !== jobs.size)
    yield ['wrong', `${view.jobs.length} jobs, and ${jobs.size} on ${first.node}`];
  const [job] = different;
  if (job !== undefined)
    yield ['wrong', `${different.length} jobs differ from ${first.node}, such as ${job.id}`];
  const texts = [view, first].map(({ registers }) => JSON.stringify([...registers].sort()));
  if (texts[0] !== texts[1]) yield ['wrong', `registers differ from ${first.node}`];
}

const taskOf = ({ jobs }: NodeView, name: string, number: number): TaskState | undefined =>
  jobs.find((job) => job.name === name)?.tasks.find((task) => task.number === number);
