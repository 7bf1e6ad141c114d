import { parseAttemptId, parseTaskId, taskIdOf } from '../ids.ts';

/** In ascending severity. */
export const DIAGNOSTIC_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type DiagnosticLevel = (typeof DIAGNOSTIC_LEVELS)[number];

/** A log record of a daemon without its time and component. */
export interface DiagnosticNote {
  readonly level: DiagnosticLevel;
  readonly msg: string;
  readonly attrs: Readonly<Record<string, string>>;
}

/** A record of the diagnostics (docs/contract/resources.md#diagnostic-record). */
export interface DiagnosticRecord extends DiagnosticNote {
  /** Nanoseconds since the epoch. */
  readonly at: bigint;
  /** `server` or `worker:<worker id>`. */
  readonly component: string;
}

export const SERVER_COMPONENT = 'server';
export const workerComponent = (workerId: string): string => `worker:${workerId}`;

/** Maximum lengths in one record, in characters. Longer texts are cut. */
export const NOTE_LIMITS = {
  message: 4096,
  attributes: 32,
  attributeName: 64,
  attributeValue: 2048,
} as const;

const CUT = '...';
const cut = (text: string, max: number): string =>
  text.length > max ? text.slice(0, max - CUT.length) + CUT : text;

/**
 * Returns a note within the limits. Adds the ids that follow from the given ids, because clients filter by task and by
 * job.
 */
export function note(
  level: DiagnosticLevel,
  msg: string,
  attrs: Readonly<Record<string, string>>,
): DiagnosticNote {
  const entries = Object.entries({ ...impliedIds(attrs), ...attrs })
    .slice(0, NOTE_LIMITS.attributes)
    .map(([name, value]): [string, string] => [
      cut(name, NOTE_LIMITS.attributeName),
      cut(value, NOTE_LIMITS.attributeValue),
    ]);
  return { level, msg: cut(msg, NOTE_LIMITS.message), attrs: Object.fromEntries(entries) };
}

/** Returns the task of an attempt and the job of a task, if the attributes do not name them. */
function impliedIds(attrs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const attempt = parseAttemptId(attrs['attempt_id'] ?? '');
  const task = attempt ?? parseTaskId(attrs['task_id'] ?? '');
  if (task === null) return {};
  return {
    ...(attrs['task_id'] === undefined ? { task_id: taskIdOf(task) } : {}),
    ...(attrs['job_id'] === undefined ? { job_id: task.jobId } : {}),
  };
}
