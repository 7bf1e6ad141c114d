import { allowedVariables } from './denied-variables.ts';
import type { Account } from './isolation-names.ts';

/**
 * Variables of the worker's own environment that a process of another account gets (docs/contract/isolation.md: a
 * minimal base and the variables that `isolation.env_passthrough` names, without those of `isolation.env_deny`). The
 * job's own variables are added to them.
 */

const COMMAND_PATH = '/usr/local/bin:/usr/bin:/bin';
const FALLBACK_LANGUAGE = 'C.UTF-8';
/** Language and time zone of the worker. */
const OF_THE_WORKER = new Set(['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ']);

/** Never passed on to another account, whatever the configuration: access to the bus, and settings of the loader. */
const NEVER = /^(NATS_|LD_|GLIBC_TUNABLES$)/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Returns the environment of a process of the account, without the job's own variables. `globs` and `denied` are names
 * with `*` and `?`.
 */
export function isolatedEnvironment(
  account: Pick<Account, 'user' | 'home' | 'shell'>,
  own: Readonly<Record<string, string | undefined>>,
  globs: readonly string[],
  denied: readonly string[],
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
  for (const [name, value] of Object.entries(allowedVariables(own, denied))) {
    if (NEVER.test(name) || !NAME.test(name)) continue;
    if (OF_THE_WORKER.has(name) || patterns.some((pattern) => pattern.test(name))) environment[name] = value;
  }
  return environment;
}

const patternOf = (glob: string): RegExp =>
  new RegExp(`^${glob.replaceAll('*', '[A-Za-z0-9_]*').replaceAll('?', '[A-Za-z0-9_]')}$`);
