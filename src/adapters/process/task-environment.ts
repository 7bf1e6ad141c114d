/** Marks every process of a session: what its guard looks for. */
export const sessionMarker = (sessionId: string): string => `CALLSHEET_SESSION=${sessionId}`;

/** The variable that marks the processes of one action. */
export const ACTION_VARIABLE = 'CALLSHEET_ACTION';

/** Marks every process of one action. */
export const actionMarker = (sessionId: string, run: number): string =>
  `${ACTION_VARIABLE}=${sessionId}.${run}`;

/** Marks every process that a worker with this directory has started: what is ended before it registers. */
export const workerMarker = (workerDirectory: string): string => `CALLSHEET_WORKER_DIR=${workerDirectory}`;

/** The daemon's own settings may hold secrets and are none of a task's business. */
const OWN_SETTINGS = 'SVC_';

/**
 * The environment of a task's process (docs/contract/sessions.md#environment-variables): the worker's, then the
 * session's, then the marks, which nothing overrides.
 */
export function taskEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, string | null>>,
  marks: readonly string[],
): Record<string, string> {
  const environment = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && !name.startsWith(OWN_SETTINGS)) environment.set(name, value);
  }
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
