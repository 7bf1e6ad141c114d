import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { countDisk, type DiskCount } from '../../../src/adapters/process/disk-count.ts';
import { pauseAfter } from '../../../src/adapters/process/disk-watch.ts';
import { overQuotaText } from '../../../src/core/resource-usage.ts';
import { canMakeAccounts, makeAccount } from '../../kit/accounts.ts';
import { RecordedProcesses } from './recorded-processes.ts';

tap.setTimeout(120_000);

const MIB = 1024 * 1024;
const TIMEOUT_MS = 60_000;

function folder(t: Test, script: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'callsheet-count-')));
  // rmSync cannot remove paths above PATH_MAX.
  t.teardown(() => execFileSync('rm', ['-rf', '--', path]));
  execFileSync('python3', ['-c', script], { cwd: path });
  return path;
}

const counted = async (t: Test, script: string): Promise<DiskCount> =>
  countDisk(folder(t, script), TIMEOUT_MS).result;

const mibOf = (count: DiskCount): number | null =>
  count.kind === 'counted' ? Math.round(count.bytes / MIB) : null;

const FILL = 'import os\ndef fill(name, mib):\n  open(name, "wb").write(b"x" * (mib << 20))\n';

test('allocated blocks of each inode count once, and links lead nowhere', async (t) => {
  t.equal(mibOf(await counted(t, `${FILL}fill("a", 8)`)), 8);
  t.equal(mibOf(await counted(t, `${FILL}fill("a", 8)\nfor i in range(50): os.link("a", f"b{i}")`)), 8);
  t.equal(mibOf(await counted(t, `${FILL}open("s", "wb").truncate(1 << 40)\nfill("a", 4)`)), 4);
  const links = 'os.symlink("/usr", "u"); os.symlink("/", "r"); os.symlink(".", "self")';
  t.equal(mibOf(await counted(t, `${FILL}${links}\nfill("a", 4)`)), 4);
});

test('paths above PATH_MAX, fifos, sockets and strange names are counted', async (t) => {
  const deep = 'for i in range(400):\n  os.mkdir("d" * 200); os.chdir("d" * 200)\n';
  const deepCount = await counted(t, `${FILL}${deep}fill("hidden", 16)`);
  t.ok((mibOf(deepCount) ?? 0) >= 16, JSON.stringify(deepCount));
  const odd =
    'import socket\nos.mkfifo("f"); socket.socket(socket.AF_UNIX).bind("s")\nfill("-x\\n: Permission denied", 2); fill(b"\\xff", 2)';
  t.equal(mibOf(await counted(t, `${FILL}${odd}`)), 4);
});

test('a directory without permission cannot hide its content', { skip: !canMakeAccounts }, async (t) => {
  const closed = `${FILL}os.mkdir("c"); fill("c/a", 4); os.chmod("c", 0)`;
  t.equal(mibOf(await counted(t, closed)), 4, 'root reads it');
});

test('a count that takes too long is given up, and a missing directory has no count', async (t) => {
  t.match(await countDisk('/', 1).result, { kind: 'uncountable', reason: 'it took longer than 0.001 s' });
  t.match(await countDisk('/nonexistent', TIMEOUT_MS).result, { kind: 'failed', reason: /No such file/ });
  const stopped = countDisk('/', TIMEOUT_MS);
  stopped.stop();
  t.match(await stopped.result, { kind: 'failed' });
});

test('counts are frequent near the quota and cost little', async (t) => {
  const pause = (share: number, tookMs = 1): number =>
    pauseAfter({ kind: 'counted', bytes: share * MIB }, MIB, tookMs);
  t.same([pause(0), pause(0.5), pause(0.8), pause(2)], [15_000, 5000, 1000, 1000]);
  t.equal(pause(2, 2000), 20_000);
});

for (const launcher of [false, true]) {
  const way = launcher ? 'by the launcher' : 'by the agent';

  test(`a task above the quota of its session is ended with the reason, ${way}`, async (t) => {
    const it = new RecordedProcesses('quota', { launcher, diskQuotaBytes: 4 * MIB });
    t.teardown(() => it.close());
    await it.open();
    const run = it.bash(`cd ${it.directory}; head -c 6M /dev/zero >full; echo full; sleep 600 & wait`);
    t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
    const used = await it.used(run);
    t.match(used?.overQuota, { quotaMib: 4, reason: '' });
    t.equal(
      overQuotaText(used ?? {}),
      `disk quota exceeded: the directory of the session used ${used?.overQuota?.usedMib ?? 0} MiB of its quota of 4 MiB`,
    );
    t.ok([6, 7].includes(used?.overQuota?.usedMib ?? 0));
    const next = it.bash(`rm ${it.directory}/full`);
    t.same(await it.ended(next), { kind: 'exited', code: 0 });
    t.equal((await it.used(next))?.overQuota, undefined, 'an excess belongs to one task');
  });
}

test(
  'a task that renames, removes and hides its files does not escape',
  { skip: !canMakeAccounts },
  async (t) => {
    const it = new RecordedProcesses('quota-hostile', { diskQuotaBytes: 4 * MIB });
    t.teardown(() => it.close());
    await it.open({ user: makeAccount(t), group: null });
    const run = it.bash(
      `cd ${it.directory}; mkdir a b; head -c 6M /dev/zero >a/full; mkfifo a/f; ln -s / a/root; chmod 0 a
    while :; do mv a b/a; mv b/a a; : >t$RANDOM; rm -f t*; done`,
    );
    t.same(await it.ended(run), { kind: 'signaled', signal: 'SIGKILL' });
    t.match((await it.used(run))?.overQuota, { quotaMib: 4, reason: '' });
  },
);

test('a task below the quota is not affected', async (t) => {
  const it = new RecordedProcesses('quota-below', { diskQuotaBytes: 64 * MIB });
  t.teardown(() => it.close());
  await it.open();
  const run = it.bash(`head -c 6M /dev/zero >${it.directory}/some`);
  t.same(await it.ended(run), { kind: 'exited', code: 0 });
  t.equal((await it.used(run))?.overQuota, undefined);
  rmSync(join(it.directory, 'some'));
});
