import { readFileSync } from 'node:fs';

/**
 * One run of a task, recorded by the task's own process independently of the service. Each line is appended to one
 * file: `start|stop <task> <pid> <seconds of uptime>`.
 */
export interface Run {
  readonly task: string;
  readonly pid: number;
  /** Seconds of the machine's uptime. */
  readonly startedAt: number;
  /** Null if the process ended before its last line. */
  stoppedAt: number | null;
}

/** Returns a template whose tasks record their runs and take `milliseconds` each. */
export function recordingTemplate(file: string, tasks: number, milliseconds: number): object {
  return {
    specificationVersion: 'jobtemplate-2023-09',
    name: `${tasks} recorded tasks`,
    steps: [
      {
        name: 'Record',
        parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
        hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
        script: {
          actions: {
            onRun: {
              command: 'bash',
              args: [
                '-c',
                `read -r now _ < /proc/uptime; echo "start $0 $$ $now" >> "$1"; sleep "$2"; read -r now _ < /proc/uptime; echo "stop $0 $$ $now" >> "$1"; echo "done $0"`,
                '{{Task.Param.N}}',
                file,
                String(milliseconds / 1000),
              ],
            },
          },
        },
      },
    ],
  };
}

export function readRuns(file: string): Run[] {
  const runs = new Map<string, Run>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [what, task, pid, seconds] = line.split(' ');
    if (task === undefined || pid === undefined || seconds === undefined) continue;
    const at = Number(seconds);
    const key = `${task} ${pid}`;
    if (what === 'start') runs.set(key, { task, pid: Number(pid), startedAt: at, stoppedAt: null });
    const run = runs.get(key);
    if (what === 'stop' && run !== undefined) run.stoppedAt = at;
  }
  return [...runs.values()];
}

/** Returns the finished runs by task. */
export function finishedRuns(runs: readonly Run[]): Map<string, number> {
  const finished = new Map<string, number>();
  for (const run of runs) {
    if (run.stoppedAt !== null) finished.set(run.task, (finished.get(run.task) ?? 0) + 1);
  }
  return finished;
}

/** Returns the tasks of which a process started before an earlier one had finished. Interrupted processes are ignored. */
export function overlappingRuns(runs: readonly Run[]): readonly string[] {
  const inOrder = [...runs].sort((one, other) => one.startedAt - other.startedAt);
  const busyUntil = new Map<string, number>();
  const overlapping = new Set<string>();
  for (const { task, startedAt, stoppedAt } of inOrder) {
    if (stoppedAt === null) continue;
    if (startedAt < (busyUntil.get(task) ?? 0)) overlapping.add(task);
    busyUntil.set(task, Math.max(stoppedAt, busyUntil.get(task) ?? 0));
  }
  return [...overlapping];
}
