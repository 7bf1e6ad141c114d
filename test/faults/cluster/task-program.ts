import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const BEAT_SECONDS = 0.1;

/**
 * Shell program of the tasks. It records what ran, independently of the service and the workers. Each line is appended to one
 * file: `start|beat|stop|fail <job> <task> <pid> <worker's directory> <seconds of uptime>`. A task that shall fail first does so
 * once. The program starts no other process, so that its end is the end of the task.
 */
const PROGRAM = [
  'record() { read -r up _ < /proc/uptime; printf "%s %s %s %s %s %s\\n" "$1" "$job" "$task" $$ "$CALLSHEET_WORKER_DIR" "$up" >&9; }',
  'job=$0 task=$1',
  'exec 9>>"$2" 8<> <(:)',
  'record start',
  'end=$((10#${up/./} + $3 / 10))',
  `while read -r -t ${BEAT_SECONDS} -u 8; (( 10#\${up/./} < end )); do record beat; done`,
  'if [[ $4 == fails && ! -e $2.$job.$task ]]; then : > "$2.$job.$task"; record fail; exit 1; fi',
  'record stop',
].join('; ');

export interface RecordedJob {
  /** Name of the job, unique in a run. */
  readonly name: string;
  readonly tasks: number;
  readonly milliseconds: number;
  /** Each task fails in its first process. */
  readonly failsFirst: boolean;
}

/** A job whose one-core tasks record that they run, in this file. */
export const recordedTemplate = (
  { name, tasks, milliseconds, failsFirst }: RecordedJob,
  file: string,
): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Run',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: [
              ...['-c', PROGRAM, name, '{{Task.Param.N}}', file],
              ...[String(milliseconds), failsFirst ? 'fails' : 'succeeds'],
            ],
          },
        },
      },
    },
  ],
});

/** One process of a task, as it has recorded itself. Times are seconds of the machine's uptime. */
export interface RecordedProcess {
  readonly job: string;
  readonly task: number;
  readonly pid: number;
  readonly worker: string;
  readonly startedAt: number;
  readonly lastSignAt: number;
  /** `running` also for a process that was killed. */
  readonly end: 'succeeded' | 'failed' | 'running';
}

const ENDS: Readonly<Record<string, RecordedProcess['end']>> = { stop: 'succeeded', fail: 'failed' };

/** Returns every recorded process in the order of the starts. */
export function recordedProcesses(file: string): RecordedProcess[] {
  if (!existsSync(file)) return [];
  const processes = new Map<string, RecordedProcess>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [what = '', job = '', task, pid, directory = '', seconds] = line.split(' ');
    if (task === undefined || pid === undefined || seconds === undefined) continue;
    const key = `${job} ${task} ${pid} ${directory}`;
    const at = Number(seconds);
    const known = processes.get(key);
    processes.set(key, {
      job,
      task: Number(task),
      pid: Number(pid),
      worker: basename(directory),
      startedAt: known?.startedAt ?? at,
      lastSignAt: at,
      end: ENDS[what] ?? known?.end ?? 'running',
    });
  }
  return [...processes.values()];
}

/** Returns the machine's uptime in seconds: the clock of the records. */
export const uptimeNow = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
