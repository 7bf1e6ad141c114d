import type { ProcessIds } from '../../core/access/isolation-names.ts';

/** What is started in place of a command. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process that is started. */
  readonly environment: Readonly<Record<string, string>>;
}

const COMMAND_PATH = '/usr/bin:/bin';
/** Carries a value past the change of the account. */
const CARRIER = 'CALLSHEET_VALUE_';
/** What the fence looks for; it does nothing to any program and is there from the first moment. */
const MARK = /^CALLSHEET_(SESSION|ACTION|WORKER_DIR)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The options of `setpriv` for a change for good: these ids, no capability, none to be got by any program. */
export const switchArguments = ({ userId, groupId, groupIds }: ProcessIds): readonly string[] => [
  `--reuid=${userId}`,
  `--regid=${groupId}`,
  groupIds.length === 0 ? '--clear-groups' : `--groups=${groupIds.join(',')}`,
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

/**
 * A command to be run as another account, started by root. `setpriv` changes the account (reliability.md, D12); `prlimit` forbids core
 * files; only then `env` gives the process its variables. Until then each value goes under a name that no loader and no library
 * looks at, so that nothing that a job sets (LD_PRELOAD) acts on a process of root; and it is in the environment, not among the
 * arguments, which everybody may read. Names that are none for a shell are left out.
 */
export function launchAs(
  ids: ProcessIds,
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Launch {
  const carried: Record<string, string> = { PATH: COMMAND_PATH, LC_ALL: 'C' };
  const assignments: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (!NAME.test(name)) continue;
    if (MARK.test(name)) carried[name] = value;
    const carrier = `${CARRIER}${assignments.length}`;
    carried[carrier] = value;
    assignments.push(`${name}=\${${carrier}}`);
  }
  return {
    command: 'setpriv',
    args: [
      ...switchArguments(ids),
      '--',
      'prlimit',
      '--core=0',
      '--',
      'env',
      `--split-string=-i ${assignments.join(' ')}`,
      // `env` takes a word with an equals sign for one more variable.
      ...(command.includes('=') ? ['nice', '-n', '0', '--'] : []),
      command,
      ...args,
    ],
    environment: carried,
  };
}
