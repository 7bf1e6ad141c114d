import { unshareArguments } from './unshare-arguments.ts';

/** Files that no job may read, and how they are hidden (docs/isolation.md#credentials-of-the-worker). */
export interface Mask {
  /** The worker's directory: in place of it, jobs see an empty one with `sessions` only. Absolute, without links. */
  readonly workerDirectory: string;
  /** Files outside of it. */
  readonly files: readonly string[];
  /** Set if the worker runs as root. */
  readonly isRoot: boolean;
}

/**
 * Capabilities with which a process of root could undo the mask, read the daemon's memory, the disk below the files, or
 * the traffic of the bus.
 */
const DROPPED = [
  'sys_admin',
  'sys_ptrace',
  'sys_module',
  'sys_rawio',
  'sys_boot',
  'mknod',
  'dac_read_search',
  'bpf',
  'perfmon',
  'checkpoint_restore',
  'syslog',
  'net_admin',
  'net_raw',
  'mac_admin',
  'mac_override',
];

/**
 * Runs in the new namespace: $0 the directory to start in, or empty; $1 the worker's directory; the files; `--`; the
 * command. The directory is covered as a whole, because a cover of a file is removed when the file is replaced. It is
 * entered again, because `..` leads from a directory that was entered before to what is covered. Exit code 125: the
 * files could not be hidden, and the command is not started.
 */
const HIDE = `
fail() { echo "callsheet: the credentials of the worker could not be hidden, so the task was not started" >&2; exit 125; }
directory=$1; shift
if [[ -d $directory/sessions ]]; then exec 9<"$directory/sessions" || fail; fi
mount -t tmpfs -o mode=0711,size=64k,nr_inodes=16 callsheet "$directory" || fail
mkdir -m 711 "$directory/sessions" && : >"$directory/none" && chmod 0 "$directory/none" || fail
if [[ -e /proc/self/fd/9 ]]; then mount -c --rbind /proc/self/fd/9 "$directory/sessions" && exec 9<&- || fail; fi
while [[ $1 != -- ]]; do
  if [[ -e $1 ]]; then mount --bind "$directory/none" "$1" || fail; fi
  shift
done
shift
mount -o remount,bind,ro "$directory" || fail`;

/** For root: settings through which the kernel starts programs with all capabilities, and the disks themselves. */
const HIDE_FROM_ROOT = `
mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && mount -o remount,bind,ro /sys || fail
if [[ -e /proc/sysrq-trigger ]]; then mount --bind /dev/null /proc/sysrq-trigger || fail; fi
for device in /dev/*; do if [[ -b $device ]]; then mount --bind /dev/null "$device" || fail; fi; done`;

const START = `
if [[ -n $0 ]]; then cd -- "$0" || fail; fi
exec "$@"`;

/**
 * Returns the programs that hide the files of the mask and execute what follows them: in a mount namespace of its own,
 * without the capabilities that could undo it, and without new privileges. `workingDirectory`: the directory that the
 * command starts in; empty for the present one, which must not be inside of the worker's directory.
 */
export function maskArguments(mask: Mask, workingDirectory: string): readonly string[] {
  const { workerDirectory, files, isRoot } = mask;
  const outside = files.filter((file) => !file.startsWith(`${workerDirectory}/`));
  return [
    ...unshareArguments(isRoot, ['--mount', '--propagation', 'slave']),
    'bash',
    '--norc',
    '-c',
    `${HIDE}${isRoot ? HIDE_FROM_ROOT : ''}${START}`,
    workingDirectory,
    workerDirectory,
    ...outside,
    '--',
    'setpriv',
    '--no-new-privs',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    `--bounding-set=${isRoot ? DROPPED.map((name) => `-${name}`).join(',') : '-all'}`,
    '--',
  ];
}
