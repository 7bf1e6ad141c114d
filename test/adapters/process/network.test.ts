import { createServer } from 'node:net';
import { once } from 'node:events';
import tap, { test, type Test } from 'tap';
import { networkSupport } from '../../../src/adapters/host/network-support.ts';
import { noNetworkArguments } from '../../../src/adapters/process/network.ts';
import { requireOptIns } from '../../../daemons/worker/opt-in-isolation.ts';
import { canMakeAccounts, makeAccount } from '../../kit/accounts.ts';
import { isolationOff } from '../../kit/isolation-settings.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(120_000);

const isRoot = process.geteuid?.() === 0;
const [command = '', ...args] = [...noNetworkArguments(isRoot), 'true'];
const { isSupported, detail } = await networkSupport({ command, args }, false);
const skip = isSupported ? false : detail;
const accounts = skip === false && !canMakeAccounts ? 'only root can make accounts' : skip;

/** Listens on both loopback addresses, as the bus does, and returns the port. */
async function listening(t: Test): Promise<number> {
  const server = createServer((socket) => socket.resume());
  server.listen(0, '::');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const dial = (port: number): string =>
  ['127.0.0.1', '::1']
    .map((host) => `(exec 3<>/dev/tcp/${host}/${port}) 2>/dev/null && echo reached ${host}`)
    .join('; ');

for (const launcher of [false, true]) {
  const way = launcher ? 'by the launcher' : 'by the agent';

  test(`a task without network cannot reach the loopback of the machine, ${way}`, { skip }, async (t) => {
    const port = await listening(t);
    const said = async (network: 'open' | 'none'): Promise<readonly string[]> => {
      const it = new RecordedProcesses(`network-${network}`, { launcher, network });
      await it.open();
      const run = it.bash(`${dial(port)}; echo done; grep -c : /proc/net/dev`);
      t.same(await it.ended(run), { kind: 'exited', code: 0 });
      await it.close();
      return it.lines(run);
    };
    t.match(await said('open'), ['reached 127.0.0.1']);
    t.same(await said('none'), ['done', '1'], 'only a loopback of its own');
  });
}

test('a task of an account cannot return to the network of the machine', { skip: accounts }, async (t) => {
  const port = await listening(t);
  const user = makeAccount(t);
  const it = new RecordedProcesses('network-account', { network: 'none' });
  t.teardown(() => it.close());
  await it.open({ user, group: null });
  const again = `'${dial(port).replaceAll("'", "'\\''")}; true'`;
  const run = it.bash(
    `id -un; for pid in 1 $PPID ${process.pid}; do nsenter -t $pid -n bash -c ${again}; done 2>/dev/null;
    unshare --user --map-root-user nsenter -t ${process.pid} -n bash -c ${again} 2>/dev/null;
    unshare --user --map-root-user --net bash -c ${again} 2>/dev/null;
    grep CapEff /proc/self/status; echo done`,
  );
  await it.ended(run);
  t.same(it.lines(run), [user, 'CapEff:\t0000000000000000', 'done']);
});

test('its own loopback works between its processes', { skip }, async (t) => {
  const it = new RecordedProcesses('network-own', { network: 'none' });
  t.teardown(() => it.close());
  await it.open();
  const run = it.start('python3', [
    '-c',
    'import socket\ns = socket.create_server(("127.0.0.1", 0))\nsocket.create_connection(s.getsockname())\nprint("own")',
  ]);
  t.same(await it.ended(run), { kind: 'exited', code: 0 });
  t.same(it.lines(run), ['own']);
});

test('a machine that cannot do it says why, and the worker refuses to start', async (t) => {
  const broken = { command: 'bash', args: ['--norc', '-c', 'echo unshare: not permitted >&2; exit 1'] };
  const part = await networkSupport(broken, false);
  t.match(part, { part: 'network', isSupported: false, detail: 'unshare: not permitted', fix: /iproute2/ });
  t.match(await networkSupport({ command: 'true', args: [] }, true), {
    isSupported: false,
    fix: /isolation\.default_user/,
  });
  t.match(await networkSupport({ command: '/nonexistent/program', args: [] }, false), {
    isSupported: false,
    detail: /ENOENT/,
  });
  requireOptIns({ isolation: { ...isolationOff, network: 'open' } }, [part]);
  t.throws(() => requireOptIns({ isolation: { ...isolationOff, network: 'none' } }, [part]), {
    message: /^isolation\.network: this machine does not support it: unshare: not permitted\. install/,
  });
});
