import type { ProcessIds } from '../../core/access/isolation-names.ts';
import { DROP_ALL, unshareArguments } from './unshare-arguments.ts';

/** The view of the machine that processes of a session have (docs/isolation.md#temporary-files-and-processes-of-others). */
export interface SessionView {
  /** The directory of the session if it has its own temporary directory, which is `.tmp` in it; null for that of the machine. */
  readonly privateTmp: string | null;
  /** Set if `/proc` shows only processes of the account of the session. */
  readonly hidesProcesses: boolean;
}

export const PLAIN_VIEW: SessionView = { privateTmp: null, hidesProcesses: false };

/** Reports whether a view needs a mount namespace. */
export const isPlainView = ({ privateTmp, hidesProcesses }: SessionView): boolean =>
  privateTmp === null && !hidesProcesses;

/**
 * Runs in the new namespace: $1 the directory of the session or empty, $2 `1` to hide processes, $3 the directory to start in or
 * empty, the programs that change to the account of the session, `--`, the command. Exit code 125: the view is impossible, and
 * the command is not started.
 *
 * The directory of the session belongs to its account, whose processes may replace what is in it at any time. So only that
 * account makes directories there, and a mount goes to a directory that is open and was checked, not to a path: through a link
 * in its place, a mount of root would cover a directory of the system.
 */
const ENTER = `
fail() { echo "callsheet: the task was not started, because $1" >&2; exit 125; }
session=$1; hides=$2; start=$3; shift 3
as=(); while [[ $1 != -- ]]; do as+=("$1"); shift; done; shift
if [[ -n $session ]]; then
  reason="it could not get a directory of its own for temporary files"
  "\${as[@]}" mkdir -m 1777 -- "$session/.tmp" 2>/dev/null || [[ -d $session/.tmp ]] || fail "$reason"
  owner=$("\${as[@]}" id -u)
  exec 8<"$session" || fail "$reason"
  mount -c --bind "$session/.tmp" /var/tmp && mount -c --bind /var/tmp /tmp || fail "$reason"
  [[ $(stat -c %u:%F /tmp) == "$owner:directory" ]] || fail "$reason"
  if ! [[ /proc/self/fd/8 -ef $session ]]; then
    "\${as[@]}" mkdir -p -m 711 -- "$session" && exec 7<"$session" || fail "$reason"
    [[ $(readlink /proc/self/fd/7) == "$session" ]] || fail "$reason"
    mount -c --bind /proc/self/fd/8 /proc/self/fd/7 && exec 7<&- || fail "$reason"
  fi
  exec 8<&-
fi
if [[ $hides == 1 ]]; then
  mount -t proc -o nosuid,nodev,noexec,hidepid=2 proc /proc || fail "the processes of others could not be hidden from it"
fi
if [[ -n $start ]]; then cd -- "$start" || fail "it could not enter its directory"; fi
exec "$@"`;

/**
 * Returns the programs that give what follows them this view, and then execute it. `ids`: the account of the session; null for
 * that of this process. `isRoot`: set if this process runs as root. `workingDirectory`: the directory that the command starts
 * in; empty for the present one.
 */
export function viewArguments(
  { privateTmp, hidesProcesses }: SessionView,
  ids: ProcessIds | null,
  isRoot: boolean,
  workingDirectory: string,
): readonly string[] {
  return [
    ...unshareArguments(isRoot, ['--mount', '--propagation', 'slave']),
    'bash',
    '--norc',
    '-c',
    ENTER,
    'view',
    privateTmp ?? '',
    hidesProcesses ? '1' : '',
    workingDirectory,
    ...(ids === null ? [] : changeOf(ids)),
    '--',
    ...(isRoot ? [] : DROP_ALL),
  ];
}

const changeOf = ({ userId, groupId }: ProcessIds): readonly string[] => [
  'setpriv',
  `--reuid=${userId}`,
  `--regid=${groupId}`,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--',
];
