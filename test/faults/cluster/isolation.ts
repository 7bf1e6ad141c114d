import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/**
 * Namespaces of a run: mounts, network interfaces and processes disappear with its first process, however it ends. The
 * shell is that first process, because it reaps processes whose parents have ended.
 */
const UNSHARE = [
  '--pdeathsig',
  'KILL',
  'unshare',
  '--mount',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];
const SHELL = [
  'sh',
  '-c',
  'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up && "$@"; exit $?',
  'sh',
];
/** Set in the processes of a run. */
const MARK = 'CALLSHEET_FAULTS_ISOLATED';

const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
  [MARK]: 'true',
});

export const isIsolated = (): boolean => process.env[MARK] === 'true';

/** Returns why this machine cannot run a cluster in namespaces of its own, or false. */
export function isolationFault(): string | false {
  const probe = [
    'ip netns add try',
    'ip link add try-bridge type bridge',
    'ip link add try-a type veth peer name try-b netns try',
    'file=$(mktemp)',
    'truncate --size 8M "$file"',
    'mkfs.ext4 -q "$file"',
    'mount -o loop "$file" /mnt',
    'rm "$file"',
  ].join(' && ');
  const { error, status, stderr } = spawnSync('setpriv', [...UNSHARE, ...SHELL, 'sh', '-c', probe], {
    env: environment(),
    encoding: 'utf8',
  });
  if (error) return `no unshare: ${error.message}`;
  return status === 0 ? false : `no namespaces with networks and loop mounts: ${stderr.trim()}`;
}

/** Runs a compiled program in namespaces of its own. Resolves with its exit status, and its output unless inherited. */
export async function runIsolated(
  program: string,
  args: readonly string[],
  output: 'inherit' | 'pipe',
): Promise<{ readonly status: number; readonly output: string }> {
  const child = spawn('setpriv', [...UNSHARE, ...SHELL, process.execPath, program, ...args], {
    env: environment(),
    stdio: ['ignore', output, output === 'pipe' ? 'pipe' : 'inherit'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (data: string) => (text += data));
  const [code] = (await once(child, 'close')) as [number | null];
  return { status: code ?? 1, output: text };
}
