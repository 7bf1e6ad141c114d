import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Interval between two beats of a process. */
const BEAT_SECONDS = 0.05;
/** A process without a beat for longer than this did not run in the meantime (it was stopped or frozen). */
const SILENCE_SECONDS = 3;
/** A process with a beat within this time may still run. */
const LIVE_SECONDS = 0.5;

/**
 * Shell program of the tasks. It records what actually ran, independently of the service and the workers. Each line is
 * appended to one file: `start|beat|stop <task> <action> <pid> <worker's directory> <seconds of uptime>`. The last beat
 * of a killed process is its end. The program does not fork, so that killing one process ends it completely.
 */
const PROGRAM = [
  'record() { read -r up _ < /proc/uptime; printf "%s %s %s %s %s %s\\n" "$1" "$task" "$CALLSHEET_ACTION" $$ "$CALLSHEET_WORKER_DIR" "$up" >&9; }',
  'task=$0',
  'exec 9>>"$1" 8<> <(:)',
  // Every other task ignores SIGTERM.
  '((task % 2 == 0)) || trap "" TERM',
  'record start',
  'end=$((10#${up/./} + (task % 4 ? $3 : $2) / 10))',
  `while read -r -t ${BEAT_SECONDS} -u 8; (( 10#\${up/./} < end )); do record beat; done`,
  'record stop',
].join('; ');

export interface EvidenceJob {
  /** File to which the processes write. */
  readonly file: string;
  readonly tasks: number;
  /** Run times of tasks: every fourth has the short one, the others the long one. */
  readonly shortMs: number;
  readonly longMs: number;
  /** Each task takes a slot of this usage pool; null for none. */
  readonly pool: string | null;
}

/** A job whose one-core tasks record beats while they run. */
export function evidenceTemplate({ file, tasks, shortMs, longMs, pool }: EvidenceJob): object {
  return {
    specificationVersion: 'jobtemplate-2023-09',
    name: `${tasks} tasks that give signs of life`,
    steps: [
      {
        name: 'Live',
        parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
        hostRequirements: {
          amounts: [
            { name: 'amount.worker.vcpu', min: 1 },
            ...(pool === null ? [] : [{ name: `amount.worker.usagepool.${pool}`, min: 1 }]),
          ],
        },
        script: {
          actions: {
            onRun: {
              command: 'bash',
              args: ['-c', PROGRAM, '{{Task.Param.N}}', file, String(shortMs), String(longMs)],
            },
          },
        },
      },
    ],
  };
}

/** Start and end of a period in which a process ran without a longer gap, in seconds of the machine's uptime. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** One process of a task. */
export interface TaskProcess {
  /** The value of the task's parameter N. */
  readonly task: string;
  readonly pid: number;
  /** The name of its worker. */
  readonly worker: string;
  readonly spans: readonly Span[];
  readonly startedAt: number;
  readonly lastSignAt: number;
  /** The process ended by itself. */
  readonly isFinished: boolean;
}

/** Returns every recorded process in order of their starts. */
export function readProcesses(file: string): TaskProcess[] {
  const processes = new Map<
    string,
    { task: string; pid: number; worker: string; signs: number[]; isFinished: boolean }
  >();
  for (const line of textOf(file).split('\n')) {
    const [what, task, action, pid, directory, seconds] = line.split(' ');
    if (task === undefined || pid === undefined || directory === undefined || seconds === undefined) continue;
    const key = `${task} ${action} ${pid}`;
    const known = processes.get(key) ?? {
      task,
      pid: Number(pid),
      worker: basename(directory),
      signs: [],
      isFinished: false,
    };
    processes.set(key, known);
    known.signs.push(Number(seconds));
    if (what === 'stop') known.isFinished = true;
  }
  return [...processes.values()]
    .map(({ signs, ...process }) => ({
      ...process,
      spans: spansOf(signs),
      startedAt: signs[0] ?? 0,
      lastSignAt: signs.at(-1) ?? 0,
    }))
    .sort((a, b) => a.startedAt - b.startedAt);
}

/** A file without content is empty. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

function spansOf(signs: readonly number[]): Span[] {
  const spans: Span[] = [];
  for (const at of signs) {
    const last = spans.at(-1);
    if (last === undefined || at - last.to > SILENCE_SECONDS) spans.push({ from: at, to: at });
    else spans[spans.length - 1] = { from: last.from, to: at };
  }
  return spans;
}

/** Returns the machine's uptime in seconds: the clock of the records. */
export const uptimeNow = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);

/** Two overlapping runs of one task. */
export interface Overlap {
  readonly task: string;
  readonly workers: readonly [string, string];
  readonly seconds: number;
}

/** I20 of docs/faults.md#invariants: returns for each two processes of a task the seconds in which both ran, if any. */
export function overlaps(processes: readonly TaskProcess[]): Overlap[] {
  const found: Overlap[] = [];
  for (const [one, other] of pairs(processes)) {
    let seconds = 0;
    for (const a of one.spans) {
      for (const b of other.spans) seconds += Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));
    }
    if (seconds > 0) found.push({ task: one.task, workers: [one.worker, other.worker], seconds });
  }
  return found;
}

/** Reports whether two processes of a task have recorded a beat just before `now`. */
export function runsTwice(processes: readonly TaskProcess[], now: number): boolean {
  const live = processes.filter(
    ({ lastSignAt, isFinished }) => !isFinished && now - lastSignAt < LIVE_SECONDS,
  );
  return [...byTask(live).values()].some((ofTask) => ofTask.length > 1);
}

/**
 * Returns for each restarted task the seconds from the last beat of one process to the first of the next. Excludes
 * processes that were suspended in the meantime, because their last beat is meaningless.
 */
export function gaps(processes: readonly TaskProcess[]): number[] {
  return [...byTask(processes).values()].flatMap((ofTask) =>
    ofTask.slice(1).flatMap((next, index) => {
      const before = ofTask[index];
      return before === undefined || before.spans.length > 1 ? [] : [next.startedAt - before.lastSignAt];
    }),
  );
}

function* pairs(processes: readonly TaskProcess[]): Generator<[TaskProcess, TaskProcess]> {
  for (const ofTask of byTask(processes).values()) {
    for (const [index, one] of ofTask.entries()) {
      for (const other of ofTask.slice(index + 1)) yield [one, other];
    }
  }
}

function byTask(processes: readonly TaskProcess[]): Map<string, TaskProcess[]> {
  const tasks = new Map<string, TaskProcess[]>();
  for (const process of processes) {
    const ofTask = tasks.get(process.task);
    if (ofTask === undefined) tasks.set(process.task, [process]);
    else ofTask.push(process);
  }
  return tasks;
}
