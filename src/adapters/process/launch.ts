import type { ProcessIds } from '../../core/access/isolation-names.ts';
import { maskArguments, type Mask } from './mask.ts';
import { noNetworkArguments } from './network.ts';
import { isPlainView, PLAIN_VIEW, viewArguments, type SessionView } from './session-view.ts';

/** A command to run. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Preparation of the process before it executes the command. */
export interface Preparation {
  /** The account that it runs as; null for the worker's own. */
  readonly ids: ProcessIds | null;
  /** The directory of a control group that it joins, or null. */
  readonly cgroup: string | null;
  /** Directories of further control groups that it joins. Absent means none. */
  readonly groups?: readonly string[];
  /** Files that it must not see; used if it runs as the worker's own account. Absent for nothing. */
  readonly mask?: Mask | null;
  /** `none`: it has no network. Absent for `open`. */
  readonly network?: 'open' | 'none';
  /** Its view of the machine. Absent for all of it. */
  readonly view?: SessionView;
  /** Set if it can get no new privileges, also if it runs as the worker's own account. Absent for not. */
  readonly noNewPrivileges?: boolean;
  /** The directory that it starts in; needed with a mask or a view. */
  readonly workingDirectory?: string;
  /** Descriptors above this one are closed; absent means that only standard input, output and error stay open. */
  readonly lastDescriptor?: number;
}

const COMMAND_PATH = '/usr/bin:/bin';
const STANDARD_ERROR = 2;
/** Prefix of the names that carry values through the preparation. */
const CARRIER = 'CALLSHEET_VALUE_';
/** Variables that the fence searches for; they have no effect on programs and are set from the first moment. */
const MARK = /^CALLSHEET_(SESSION|ACTION|WORKER_DIR)$/;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NOT_TO_BE_QUOTED = /['\\\n]/;
/**
 * Shell script that joins control groups (`$0`: one in each line), which takes the kernel a while, so that all children are in it from the
 * start, and closes files that the worker itself was started with.
 */
const prepare = (lastDescriptor: number): string =>
  [
    `IFS=$'\\n'; set -f; for group in $0; do echo 0 >"$group/cgroup.procs"; done; set +f`,
    `for file in /proc/self/fd/*; do number=\${file##*/}; ((number > ${lastDescriptor})) && eval "exec $number>&-"; done`,
    'exec "$@"',
  ].join('\n');

/**
 * Returns the options of `setpriv` for an irreversible change: these ids, no capabilities, and none that a program
 * could gain.
 */
export const setprivArguments = ({ userId, groupId, groupIds }: ProcessIds): readonly string[] => [
  `--reuid=${userId}`,
  `--regid=${groupId}`,
  groupIds.length === 0 ? '--clear-groups' : `--groups=${groupIds.join(',')}`,
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

/** Reports whether other programs must prepare the process before the command runs. */
export function needsPreparation({
  ids,
  cgroup,
  groups = [],
  mask = null,
  network = 'open',
  view = PLAIN_VIEW,
  noNewPrivileges = false,
}: Preparation): boolean {
  const isPlain = ids === null && cgroup === null && groups.length === 0 && !noNewPrivileges;
  return !isPlain || mask !== null || network !== 'open' || !isPlainView(view);
}

/**
 * Returns the command to start: the command itself, or programs that prepare the process and then execute it.
 *
 * `setpriv` changes the account (docs/dependency-hazards.md#d12-supplementary-groups), `prlimit` disables core files,
 * and only then `env` sets the variables. Until then each value has a name that no loader or library reads, so that
 * variables of a job (LD_PRELOAD) have no effect on a process of root. The values are in the environment and not in the
 * arguments, which every user can read.
 */
export function launchOf(command: Command, preparation: Preparation): Command {
  if (!needsPreparation(preparation)) return command;
  const {
    ids,
    cgroup,
    groups = [],
    mask = null,
    network = 'open',
    view = PLAIN_VIEW,
    noNewPrivileges = false,
    workingDirectory = '',
    lastDescriptor = STANDARD_ERROR,
  } = preparation;
  const { carried, assignments } = carry(command.environment);
  const isRoot = process.geteuid?.() === 0;
  const chain = [
    'bash',
    '-c',
    prepare(lastDescriptor),
    [...(cgroup === null ? [] : [cgroup]), ...groups].join('\n'),
    ...(network === 'none' ? noNetworkArguments(isRoot) : []),
    ...(isPlainView(view) ? [] : viewArguments(view, ids, isRoot, workingDirectory)),
    ...(ids === null && mask !== null ? maskArguments(mask, workingDirectory) : []),
    ...(ids === null && noNewPrivileges ? ['setpriv', '--no-new-privs', '--'] : []),
    ...(ids === null ? [] : ['setpriv', ...setprivArguments(ids), '--', 'prlimit', '--core=0', '--']),
    'env',
    `--split-string=-i ${assignments.join(' ')}`,
    // `env` interprets a word with an equals sign as another variable.
    ...(command.command.includes('=') ? ['nice', '-n', '0', '--'] : []),
    command.command,
    ...command.args,
  ];
  const [first = '', ...rest] = chain;
  return { command: first, args: rest, environment: carried };
}

/** Returns the variables under neutral names, and the arguments that restore their names. */
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
