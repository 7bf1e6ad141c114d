import { allowedVariables } from '../../core/access/denied-variables.ts';

/** Returns the mark of every process of a session, which its guard searches for. */
export const sessionMarker = (sessionId: string): string => `CALLSHEET_SESSION=${sessionId}`;

/** The variable that marks the processes of one action. */
export const ACTION_VARIABLE = 'CALLSHEET_ACTION';

/** Returns the mark of every process of one action. */
export const actionMarker = (sessionId: string, run: number): string =>
  `${ACTION_VARIABLE}=${sessionId}.${run}`;

/** Returns the mark of every process of a worker with this directory: they are ended before it registers. */
export const workerMarker = (workerDirectory: string): string => `CALLSHEET_WORKER_DIR=${workerDirectory}`;

/**
 * Returns the environment of a task's process (docs/contract/sessions.md#environment-variables): the worker's without
 * denied variables, then the session's, then the marks, which cannot be overridden. `denied` are globs.
 */
export function taskEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string | null>>,
  marks: readonly string[],
  denied: readonly string[],
): Record<string, string> {
  const environment = new Map(Object.entries(allowedVariables(own, denied)));
  for (const [name, value] of Object.entries(variables)) {
    if (value === null) environment.delete(name);
    else environment.set(name, value);
  }
  for (const mark of marks) {
    const equals = mark.indexOf('=');
    environment.set(mark.slice(0, equals), mark.slice(equals + 1));
  }
  return Object.fromEntries(environment);
}
