import type { ProcessIds } from '../../core/access/isolation-names.ts';

/** A command as it is to run. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** What has to be done to the process before it becomes the command. */
export interface Preparation {
  /** The account that it runs as; null for the worker's own. */
  readonly ids: ProcessIds | null;
  /** The directory of a control group that it joins, or null. */
  readonly cgroup: string | null;
  /** Files above this descriptor are let go of; absent means that only standard input, output and error are kept. */
  readonly lastDescriptor?: number;
}

const COMMAND_PATH = '/usr/bin:/bin';
const STANDARD_ERROR = 2;
/** Carries a value past the preparation. */
const CARRIER = 'CALLSHEET_VALUE_';
/** What the fence looks for; it does nothing to any program and is there from the first moment. */
const MARK = /^CALLSHEET_(SESSION|ACTION|WORKER_DIR)$/;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NOT_TO_BE_QUOTED = /['\\\n]/;
/**
 * Joins a control group (the kernel takes a while for it, and so what the process starts is in it from the first), and lets go of files that
 * the worker itself was started with.
 */
const prepare = (lastDescriptor: number): string =>
  [
    '[[ -n $0 ]] && echo 0 >"$0/cgroup.procs"',
    `for file in /proc/self/fd/*; do number=\${file##*/}; ((number > ${lastDescriptor})) && eval "exec $number>&-"; done`,
    'exec "$@"',
  ].join('\n');

/** The options of `setpriv` for a change for good: these ids, no capability, none to be got by any program. */
export const setprivArguments = ({ userId, groupId, groupIds }: ProcessIds): readonly string[] => [
  `--reuid=${userId}`,
  `--regid=${groupId}`,
  groupIds.length === 0 ? '--clear-groups' : `--groups=${groupIds.join(',')}`,
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

/**
 * What is started for a command: itself, or programs that prepare the process and then become it. `setpriv` changes the account
 * (docs/dependency-hazards.md#d12-supplementary-groups); `prlimit` forbids core files; only then `env` gives the
 * process its variables. Until then each value goes under a name that no loader and no library looks at, so that
 * nothing that a job sets (LD_PRELOAD) acts on a process of root; and it is in the environment, not among the
 * arguments, which everybody may read.
 */
export function launchOf(
  command: Command,
  { ids, cgroup, lastDescriptor = STANDARD_ERROR }: Preparation,
): Command {
  if (ids === null && cgroup === null) return command;
  const { carried, assignments } = carry(command.environment);
  const chain = [
    'bash',
    '-c',
    prepare(lastDescriptor),
    cgroup ?? '',
    ...(ids === null ? [] : ['setpriv', ...setprivArguments(ids), '--', 'prlimit', '--core=0', '--']),
    'env',
    `--split-string=-i ${assignments.join(' ')}`,
    // `env` takes a word with an equals sign for one more variable.
    ...(command.command.includes('=') ? ['nice', '-n', '0', '--'] : []),
    command.command,
    ...command.args,
  ];
  const [first = '', ...rest] = chain;
  return { command: first, args: rest, environment: carried };
}

/** The variables under names that mean nothing, and what gives them their own. */
function carry(environment: Readonly<Record<string, string>>): {
  readonly carried: Readonly<Record<string, string>>;
  readonly assignments: readonly string[];
} {
  const carried: Record<string, string> = { PATH: COMMAND_PATH, LC_ALL: 'C' };
  const assignments: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (NOT_TO_BE_QUOTED.test(name)) continue;
    if (MARK.test(name)) carried[name] = value;
    const carrier = `${CARRIER}${assignments.length}`;
    carried[carrier] = value;
    assignments.push(`${PLAIN_NAME.test(name) ? name : `'${name}'`}=\${${carrier}}`);
  }
  return { carried, assignments };
}
