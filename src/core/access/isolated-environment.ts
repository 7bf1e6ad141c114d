import type { Account } from './isolation-names.ts';

/**
 * What a process of another account gets of the worker's own environment (docs/contract/isolation.md: a minimal base
 * and the variables that `isolation.env_passthrough` names). What the job sets comes on top.
 */

const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';
const FALLBACK_LANGUAGE = 'C.UTF-8';
/** Of the worker's own: how times and texts are shown. */
const OF_THE_WORKER = new Set(['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ']);

/**
 * Never passed on, whatever the globs say: the worker's settings, its way to the bus and what its init system lent it, and what the
 * loader of programs obeys.
 */
const NEVER = /^(SVC_|CALLSHEET_|NATS_|LD_|GLIBC_TUNABLES$|CREDENTIALS_DIRECTORY$|NOTIFY_SOCKET$|LISTEN_)/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The environment of a process of the account, before the job's own variables. `globs`: names with `*` and `?`. */
export function isolatedEnvironment(
  account: Pick<Account, 'user' | 'home' | 'shell'>,
  own: Readonly<Record<string, string | undefined>>,
  globs: readonly string[],
): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: COMMAND_PATH,
    LANG: FALLBACK_LANGUAGE,
    HOME: account.home,
    USER: account.user,
    LOGNAME: account.user,
    SHELL: account.shell,
  };
  const patterns = globs.map(patternOf);
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || NEVER.test(name) || !NAME.test(name)) continue;
    if (OF_THE_WORKER.has(name) || patterns.some((pattern) => pattern.test(name))) environment[name] = value;
  }
  return environment;
}

const patternOf = (glob: string): RegExp =>
  new RegExp(`^${glob.replaceAll('*', '[A-Za-z0-9_]*').replaceAll('?', '[A-Za-z0-9_]')}$`);
