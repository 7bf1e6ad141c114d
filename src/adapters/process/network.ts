import { DROP_ALL, unshareArguments } from './unshare-arguments.ts';

/**
 * Returns the programs that give what follows them a network of its own, with nothing but a loopback
 * (docs/isolation.md#network), and then execute it. `isRoot`: set if this process runs as root; otherwise the namespace
 * needs a user namespace, in which the command has no capabilities. Exit code 125: impossible, and the command is not
 * started.
 */
export function noNetworkArguments(isRoot: boolean): readonly string[] {
  return [
    ...unshareArguments(isRoot, ['--net']),
    'bash',
    '--norc',
    '-c',
    ENTER,
    'network',
    ...(isRoot ? [] : DROP_ALL),
  ];
}

/** The loopback is for programs that talk to their own children through it. */
const ENTER = `
PATH=/usr/sbin:/usr/bin:/sbin:/bin ip link set lo up || {
  echo "callsheet: the task was not started, because it could not get a network of its own" >&2; exit 125; }
exec "$@"`;
