import { parseAttemptId, parseTaskId, taskIdOf } from '../ids.ts';

/** From the least to the gravest. */
export const DIAGNOSTIC_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type DiagnosticLevel = (typeof DIAGNOSTIC_LEVELS)[number];

/** What a daemon has to say, before it is known when and by whom it was said. */
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

/** What one record may hold, in characters. What is longer is cut. */
export const NOTE_LIMITS = {
  message: 4096,
  attributes: 32,
  attributeName: 64,
  attributeValue: 2048,
} as const;

const CUT = '...';
const cut = (text: string, max: number): string =>
  text.length > max ? text.slice(0, max - CUT.length) + CUT : text;

/** A note that fits, with the ids that follow from those it names: a client looks for all that concerns a task. */
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

/** The task of an attempt and the job of a task, where they are not named. */
function impliedIds(attrs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const attempt = parseAttemptId(attrs['attempt_id'] ?? '');
  const task = attempt ?? parseTaskId(attrs['task_id'] ?? '');
  if (task === null) return {};
  return {
    ...(attrs['task_id'] === undefined ? { task_id: taskIdOf(task) } : {}),
    ...(attrs['job_id'] === undefined ? { job_id: task.jobId } : {}),
  };
}
