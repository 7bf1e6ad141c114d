import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import tap, { test, type Test } from 'tap';
import { requireOptIns } from '../../../daemons/worker/opt-in-isolation.ts';
import { BusFirewall, removeEarlierTable } from '../../../src/adapters/firewall/bus-firewall.ts';
import { FIREWALL_PART, firewallSupport } from '../../../src/adapters/firewall/firewall-support.ts';
import { workerId } from '../../../src/core/ids.ts';
import { canMakeAccounts, idOf, makeAccount } from '../../kit/accounts.ts';
import { isolationOff } from '../../kit/isolation-settings.ts';
import { nft, skipWithoutNft, tableText } from '../../kit/nft.ts';

tap.setTimeout(120_000);

const skip = canMakeAccounts ? skipWithoutNft : 'only root can make accounts';
const run = promisify(execFile);
const UNPRIVILEGED = 65_534;
const SYSTEM = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

interface Rules {
  readonly firewall: BusFirewall;
  readonly directory: string;
  readonly warnings: string[];
}

async function openRules(t: Test): Promise<Rules> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-firewall-'));
  const warnings: string[] = [];
  const firewall = await BusFirewall.open({
    directory,
    workerId: workerId(randomUUID()),
    warn: (text, attributes) => warnings.push(`${text}: ${JSON.stringify(attributes)}`),
  });
  t.teardown(async () => {
    await removeEarlierTable(directory);
    rmSync(directory, { recursive: true });
  });
  return { firewall, directory, warnings };
}

/** Listens on all addresses, as a bus on 0.0.0.0 does, and returns the port. */
async function listening(t: Test): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
    // It does not notice that the other side was cut off.
    t.teardown(() => socket.destroy());
  });
  server.listen(0, '::');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** The command that runs a program as a task with this account. */
const asTask = (user: string): readonly string[] => [
  'setpriv',
  `--reuid=${idOf('-u', user)}`,
  `--regid=${idOf('-g', user)}`,
  '--clear-groups',
  '--no-new-privs',
  '--',
];

/** Returns those of the addresses, `HOST/PORT`, that the account can connect to. */
async function reached(
  user: string,
  addresses: readonly string[],
  inNamespace: readonly string[] = [],
): Promise<string[]> {
  const script = 'for to; do (exec 3<>/dev/tcp/$to) 2>/dev/null && echo $to; done; true';
  const [command = '', ...args] = [
    ...asTask(user),
    ...inNamespace,
    'bash',
    '-c',
    script,
    'dial',
    ...addresses,
  ];
  const { stdout } = await run(command, args, { env: SYSTEM, cwd: '/' });
  return stdout.split('\n').filter((line) => line !== '');
}

/** Addresses of this machine: both loopbacks, others of its loopback, and those of its networks. */
const LOCAL_HOSTS = [
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '::ffff:127.0.0.1',
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address }) => !address.startsWith('fe80') && address !== '127.0.0.1')
    .map(({ address }) => address),
];

test('an account cannot connect to the bus by any address of the machine', { skip }, async (t) => {
  const [bus, other] = [await listening(t), await listening(t)];
  const [blocked, free] = [makeAccount(t), makeAccount(t)];
  const { firewall, warnings } = await openRules(t);
  const all = LOCAL_HOSTS.map((host) => `${host}/${bus}`);
  t.same(await reached(blocked, all), all, 'before');
  await firewall.blockServers([`127.0.0.1:${bus}`]);
  t.same(await reached(blocked, all), all, 'only accounts of tasks are blocked');
  await firewall.blockAccount(idOf('-u', blocked));
  t.same(await reached(blocked, all), []);
  t.same(await reached(blocked, [`127.0.0.1/${other}`]), [`127.0.0.1/${other}`], 'other ports are open');
  t.same(await reached(free, all), all, 'other accounts, and the worker, are not affected');
  t.same(
    await reached(blocked, all, ['unshare', '--user', '--map-root-user', '--keep-caps', '--']),
    [],
    'a user namespace does not change the owner',
  );
  t.same(warnings, []);
});

test('a connection that the account had opened before is cut', { skip }, async (t) => {
  const bus = await listening(t);
  const user = makeAccount(t);
  const { firewall } = await openRules(t);
  await firewall.blockServers([`[::1]:${bus}`]);
  const script = `exec 3<>/dev/tcp/127.0.0.1/${bus} && echo open; read; echo x >&3; read -t 60 -u 3 && echo passed || echo cut`;
  const [command = '', ...args] = [...asTask(user), 'bash', '-c', script];
  const task = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], env: SYSTEM, cwd: '/' });
  let printed = '';
  task.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(task.stdout, 'data');
  await firewall.blockAccount(idOf('-u', user));
  task.stdin.end('\n');
  await once(task, 'close');
  t.equal(printed, 'open\ncut\n');
});

test('a translation of addresses leads no task to the bus', { skip }, async (t) => {
  const [bus, inside] = [await listening(t), await listening(t)];
  const user = makeAccount(t);
  const { firewall } = await openRules(t);
  const table = `${firewall.table}_nat`;
  const port = await listening(t);
  nft(
    `table inet ${table} { chain c { type nat hook output priority -100;
      ip daddr 127.0.0.1 tcp dport ${port} redirect to :${bus}
      ip daddr 127.0.0.1 tcp dport ${bus} redirect to :${inside}
    }
    }`,
  );
  t.teardown(() => nft(`delete table inet ${table}`));
  const both = [`127.0.0.1/${port}`, `127.0.0.1/${bus}`];
  await firewall.blockAccount(idOf('-u', user));
  t.same(await reached(user, both), both);
  await firewall.blockServers([`127.0.0.1:${bus}`]);
  t.same(await reached(user, both), [], 'neither to its port, nor from a published one to another');
});

test('a bus on another machine is blocked by its addresses', { skip }, async (t) => {
  const [name, near, far] = [`csn${process.pid}`, `csa${process.pid}`, `csb${process.pid}`];
  const ip = (text: string): string => execFileSync('ip', text.split(' '), { env: SYSTEM, encoding: 'utf8' });
  ip(`netns add ${name}`);
  t.teardown(() => ip(`netns del ${name}`));
  ip(`link add ${near} type veth peer name ${far} netns ${name}`);
  ip(`addr add 198.18.77.1/24 dev ${near}`);
  ip(`addr add fd77:7::1/64 dev ${near} nodad`);
  ip(`link set ${near} up`);
  const there = `netns exec ${name} ip`;
  ip(`${there} addr add 198.18.77.2/24 dev ${far}`);
  ip(`${there} addr add fd77:7::2/64 dev ${far} nodad`);
  ip(`${there} link set ${far} up`);
  ip(`${there} link set lo up`);
  const listener = `const s = require('net').createServer((c) => c.end()).listen(0, '::', () => console.log(s.address().port))`;
  const ports = await Promise.all(
    [1, 2].map(async () => {
      const child = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', listener], { env: SYSTEM });
      t.teardown(() => child.kill());
      const [text]: readonly unknown[] = await once(child.stdout, 'data');
      return Number(String(text));
    }),
  );
  const [bus = 0, other = 0] = ports;
  const user = makeAccount(t);
  const { firewall } = await openRules(t);
  await firewall.blockAccount(idOf('-u', user));
  const [by4, by6] = [`198.18.77.2/${bus}`, `fd77:7::2/${bus}`];
  t.same(await reached(user, [by4, by6]), [by4, by6]);
  await firewall.blockServers([`198.18.77.2:${bus}`]);
  t.same(await reached(user, [by4, by6]), [by6], 'only the addresses that are known');
  await firewall.blockServers([`[fd77:7::2]:${bus}`]);
  t.same(await reached(user, [by4, by6, `198.18.77.2/${other}`]), [`198.18.77.2/${other}`]);
});

test('names are looked up, and one without an address does not prevent the others', { skip }, async (t) => {
  const bus = await listening(t);
  const user = makeAccount(t);
  const { firewall, warnings } = await openRules(t);
  await firewall.blockAccount(idOf('-u', user));
  const servers = [`localhost:${bus}`, 'no-such-host.invalid:4222'];
  await Promise.all([firewall.blockServers(servers), firewall.blockServers(servers)]);
  t.same(await reached(user, [`127.0.0.1/${bus}`]), []);
  t.same(warnings, [
    'a server of the bus has no address now; it is blocked when the worker reaches it: {"server":"no-such-host.invalid:4222"}',
  ]);
  await t.rejects(firewall.blockServers(['nonsense']), {
    message: 'not an address of a server of the bus: "nonsense"',
  });
});

test('the rules are restored, replaced after a crash, and removed at the end', { skip }, async (t) => {
  const bus = await listening(t);
  const user = makeAccount(t);
  const { firewall, directory } = await openRules(t);
  const { table } = firewall;
  const record = join(directory, 'firewall-table');
  await firewall.blockServers([`127.0.0.1:${bus}`]);
  await firewall.blockAccount(idOf('-u', user));
  nft(`delete table inet ${table}`);
  t.same(await reached(user, [`127.0.0.1/${bus}`]), [`127.0.0.1/${bus}`]);
  await firewall.blockAccount(idOf('-u', user));
  t.same(await reached(user, [`127.0.0.1/${bus}`]), [], 'with the next session');

  const id = workerId(table.replace('callsheet_', ''));
  const options = { directory, workerId: id, warn: (text: string) => t.fail(text) };
  const second = await BusFirewall.open(options);
  t.equal(second.table, table);
  t.match(tableText(table), /set accounts \{\s+type uid\s+\}/, 'without the accounts of the earlier process');
  const third = await BusFirewall.open({ ...options, workerId: workerId(randomUUID()) });
  t.equal(tableText(table), null, 'also if the worker has another id now');
  t.equal(readFileSync(record, 'utf8'), `${third.table}\n`);
  await third.close();
  t.equal(tableText(third.table), null);
  t.notOk(existsSync(record));
  await t.rejects(third.blockAccount(idOf('-u', user)), { message: /the worker stops/ });
  t.equal(tableText(third.table), null);
});

test('workers of one machine keep their own rules', { skip }, async (t) => {
  const bus = await listening(t);
  const [user, other] = [makeAccount(t), makeAccount(t)];
  const [{ firewall: first }, { firewall: second }] = [await openRules(t), await openRules(t)];
  for (const firewall of [first, second]) {
    await firewall.blockServers([`127.0.0.1:${bus}`]);
    await firewall.blockAccount(idOf('-u', user));
  }
  await second.blockAccount(idOf('-u', other));
  const address = `127.0.0.1/${bus}`;
  t.same([await reached(user, [address]), await reached(other, [address])], [[], []]);
  await second.close();
  t.same(await reached(user, [address]), [], 'blocked by the other worker');
  t.same(await reached(other, [address]), [address]);
  await first.close();
  t.same(await reached(user, [address]), [address]);
});

test('problems of the rules are reported', { skip }, async (t) => {
  const { firewall, directory, warnings } = await openRules(t);
  await t.rejects(firewall.blockAccount(0), { message: /those of the worker/ });
  const empty = mkdtempSync(join(tmpdir(), 'callsheet-firewall-'));
  t.teardown(() => rmSync(empty, { recursive: true }));
  const id = workerId(randomUUID());
  const missing = { directory: empty, workerId: id, warn: () => undefined, path: empty };
  await t.rejects(BusFirewall.open(missing), { message: `nft was not found in ${empty}` });
  await t.rejects(removeEarlierTable(empty, missing), {
    message: new RegExp(
      `the table callsheet_[0-9a-f_]+ of an earlier worker could not be removed: nft was not`,
    ),
  });
  writeFileSync(join(empty, 'firewall-table'), 'filter\n');
  await t.rejects(BusFirewall.open({ ...missing, path: SYSTEM.PATH }), {
    message: /firewall-table is broken/,
  });
  writeFileSync(join(directory, 'firewall-table'), '; flush ruleset');
  await firewall.close();
  t.match(warnings, [/^the rules of the firewall could not be removed: .*is broken/]);
  t.not(tableText(firewall.table), null);
  writeFileSync(join(directory, 'firewall-table'), firewall.table);
});

/** Returns the result of `firewallSupport` in a process of root without the capability. */
async function withoutNetAdmin(): Promise<unknown> {
  const module = new URL('../../../src/adapters/firewall/firewall-support.js', import.meta.url);
  const script = `import { firewallSupport } from '${module.href}'; console.log(JSON.stringify(await firewallSupport(false)));`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = await run('setpriv', ['--bounding-set=-net_admin', '--inh-caps=-net_admin', ...node], {
    env: SYSTEM,
  });
  const part: unknown = JSON.parse(stdout);
  return part;
}

test('a machine that cannot do it says why, and the worker refuses to start', { skip }, async (t) => {
  t.match(await firewallSupport(true), { isSupported: false, fix: /isolation\.default_user/ });
  t.match(await firewallSupport(false), { part: FIREWALL_PART, isSupported: true, detail: 'nftables' });
  const part = await firewallSupport(false, { path: '/nonexistent' });
  t.match(part, {
    isSupported: false,
    detail: 'nft was not found in /nonexistent',
    fix: /^install nftables/,
  });
  t.match(await withoutNetAdmin(), {
    isSupported: false,
    detail: /^nft failed: .*Operation not permitted$/,
    fix: /run the worker with CAP_NET_ADMIN/,
  });
  process.seteuid?.(UNPRIVILEGED);
  const ofUser = firewallSupport(false);
  process.seteuid?.(0);
  t.match(await ofUser, { isSupported: false, detail: /^only root/, fix: /^run the worker as root/ });
  requireOptIns({ isolation: { ...isolationOff, network: 'none' } }, [part]);
  t.throws(() => requireOptIns({ isolation: { ...isolationOff, network: 'no_bus' } }, [part]), {
    message: /^isolation\.network: this machine does not support it: nft was not found/,
  });
  t.equal(tableText('callsheet_check'), null, 'the check changes nothing');
});
