/**
 * Variables of the daemon's own environment that never reach a job (docs/isolation.md#variables-that-a-job-never-gets).
 * Variables that a job sets itself are not affected.
 */

/** Default of `isolation.env_deny`. */
export const DENIED_VARIABLES = ['SVC_*', 'AWS_*', 'NATS_*', '*_TOKEN', '*_SECRET*', 'LD_*'] as const;

/** Variables that may contain secrets: the daemon removes them from its environment at its start. */
export const SECRET_VARIABLES = ['SVC_*', 'AWS_*', 'NATS_*', '*_TOKEN', '*_SECRET*'] as const;

/** Denied whatever the configuration: settings of the daemon, and variables that systemd sets for its services. */
const ALWAYS_DENIED = /^(SVC_|CALLSHEET_|CREDENTIALS_DIRECTORY$|NOTIFY_SOCKET$|LISTEN_)/;

/** Reports whether a variable matches. */
export type VariableTest = (name: string) => boolean;

/** Returns a test for names that match one of the globs as a whole, in upper or lower case. `*` is any text. */
export function variableTest(globs: readonly string[]): VariableTest {
  const patterns = globs.map(
    (glob) => new RegExp(`^${glob.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`, 'i'),
  );
  return (name) => patterns.some((pattern) => pattern.test(name));
}

/** Reports whether the daemon removes a variable from its environment. */
export const isSecretVariable: VariableTest = variableTest(SECRET_VARIABLES);

/** Returns the variables that a job may get from the daemon, given the globs of `isolation.env_deny`. */
export function allowedVariables(
  own: Readonly<Record<string, string | undefined>>,
  denied: readonly string[],
): Record<string, string> {
  const isDenied = variableTest(denied);
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && !ALWAYS_DENIED.test(name) && !isDenied(name)) allowed[name] = value;
  }
  return allowed;
}
