import { execFileSync } from 'node:child_process';
import {
  link,
  mkdir,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
  chmod,
  stat,
  lstat,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'tap';
import { readTree, writeTree, SESSION, StagingHarness } from './staging-harness.ts';

void test('a directory is copied in, and its new and changed files are copied out', async (t) => {
  const bench = await StagingHarness.open(t);
  await writeTree(bench.storage, {
    'show/a.txt': 'a',
    'show/deep/b.txt': 'b',
    'show/run.sh': '#!',
    'other/c.txt': 'c',
  });
  await mkdir(join(bench.storage, 'show/empty'));
  await chmod(join(bench.storage, 'show/run.sh'), 0o755);
  const show = bench.transfer({ below: ['show'] });
  t.equal(await bench.copy('in', [show]), null);
  t.strictSame(await readTree(show.local), {
    'a.txt': 'a',
    'deep/b.txt': 'b',
    empty: '(empty)',
    'run.sh': '#!',
  });
  t.equal(
    (await stat(join(show.local, 'run.sh'))).mode & 0o777,
    0o700,
    'for its owner only, and still executable',
  );

  await writeTree(show.local, { 'a.txt': 'A', 'new/d.txt': 'd' });
  await writeFile(join(bench.storage, 'show/deep/b.txt'), 'changed by another worker');
  t.equal(await bench.copy('out', [show]), null);
  t.strictSame(
    await readTree(bench.storage),
    {
      'other/c.txt': 'c',
      'show/a.txt': 'A',
      'show/deep/b.txt': 'changed by another worker',
      'show/empty': '(empty)',
      'show/new/d.txt': 'd',
      'show/run.sh': '#!',
    },
    'files that the task has not changed keep the changes of others',
  );
  await writeFile(join(bench.storage, 'show/new/d.txt'), 'by another task');
  t.equal(await bench.copy('out', [show]), null);
  t.equal((await readTree(bench.storage))['show/new/d.txt'], 'by another task', 'a file is copied out once');
});

void test('files are copied according to their dataFlow', async (t) => {
  const bench = await StagingHarness.open(t);
  await writeTree(bench.storage, { 'in.txt': 'in', 'both.txt': 'both', 'out/old.exr': 'old' });
  const file = (name: string, flow: 'IN' | 'OUT' | 'INOUT') =>
    bench.transfer({
      parameter: name,
      objectType: 'FILE',
      flow,
      below: [name],
      localBelow: ['staged', name, name],
    });
  const transfers = [
    file('in.txt', 'IN'),
    file('both.txt', 'INOUT'),
    file('made.txt', 'OUT'),
    file('never.txt', 'OUT'),
    bench.transfer({
      parameter: 'out',
      flow: 'OUT',
      below: ['out', 'new'],
      localBelow: ['staged', 'out', 'new'],
    }),
  ];
  t.equal(await bench.copy('in', transfers), null);
  t.strictSame(await readTree(bench.session), {
    'staged/both.txt/both.txt': 'both',
    'staged/in.txt/in.txt': 'in',
    'staged/made.txt': '(empty)',
    'staged/never.txt': '(empty)',
    'staged/out/new': '(empty)',
  });
  await writeTree(bench.session, {
    'staged/in.txt/in.txt': 'spoilt',
    'staged/both.txt/both.txt': 'both!',
    'staged/made.txt/made.txt': 'made',
    'staged/out/new/f.exr': 'frame',
  });
  t.equal(await bench.copy('out', transfers), null);
  t.strictSame(await readTree(bench.storage), {
    'both.txt': 'both!',
    'in.txt': 'in',
    'made.txt': 'made',
    'out/new/f.exr': 'frame',
    'out/old.exr': 'old',
  });
});

void test('a missing file or one of another type is named', async (t) => {
  const bench = await StagingHarness.open(t);
  await writeTree(bench.storage, { 'a.txt': 'a', 'd/e.txt': 'e' });
  const reasonOf = (parts: Parameters<StagingHarness['transfer']>[0]) =>
    bench.copy('in', [bench.transfer(parts)]);
  const start = 'stage_locally: copy in of parameter P: "$STORAGE';
  t.equal(await reasonOf({ below: ['no', 'where'] }), `${start}/no/where" does not exist`);
  t.equal(await reasonOf({ below: ['a.txt'] }), `${start}/a.txt" is not a directory`);
  t.equal(
    await reasonOf({ below: ['d'], objectType: 'FILE' }),
    `${start}/d" is a directory, and the parameter is a FILE`,
  );
  t.equal(
    await reasonOf({ below: ['a.txt', 'x'] }),
    `${start}/a.txt/x" is below a file that is not a directory`,
  );
  t.equal(
    await bench.copy('in', [bench.transfer({ below: [], root: '/no/such/root' })]),
    'stage_locally: copy in of parameter P: "/no/such/root" does not exist',
  );
  t.strictSame(
    Object.values(await readTree(bench.session)).filter((kind) => kind !== '(empty)'),
    [],
  );
});

void test('links inside a storage location are followed, and links out of it are rejected', async (t) => {
  const bench = await StagingHarness.open(t);
  const { storage } = bench;
  await writeTree(storage, { 'v2/a.txt': 'a2', 'tex/wood.png': 'wood', 'secret/x.txt': 'x' });
  await symlink('v2', join(storage, 'latest'));
  await symlink(join(storage, 'tex'), join(storage, 'v2/textures'));
  await symlink('../tex/./wood.png', join(storage, 'v2/wood'));
  const latest = bench.transfer({ below: ['latest'], flow: 'IN' });
  t.equal(await bench.copy('in', [latest]), null);
  t.strictSame(await readTree(latest.local), { 'a.txt': 'a2', 'textures/wood.png': 'wood', wood: 'wood' });

  const cases: readonly (readonly [target: string, reason: RegExp])[] = [
    ['/etc/passwd', /v3\/bad" leads out of its storage location$/],
    ['../../storage-of-another/x', /v3\/bad" leads out of its storage location$/],
    ['../v3', /v3\/bad" is a link to a directory that it is in$/],
    ['bad', /v3\/bad" has too many links in its path$/],
    ['nowhere', /v3\/bad" does not exist$/],
    ['/proc/self/root/etc/passwd', /v3\/bad" leads out of its storage location$/],
  ];
  for (const [target, reason] of cases) {
    await rm(join(storage, 'v3'), { recursive: true, force: true });
    await mkdir(join(storage, 'v3'));
    await symlink(target, join(storage, 'v3/bad'));
    t.match(await bench.copy('in', [bench.transfer({ below: ['v3'], flow: 'IN' })]), reason, target);
  }
});

void test('an entry that is not a regular file is rejected without opening it', async (t) => {
  const bench = await StagingHarness.open(t);
  const { storage } = bench;
  const show = bench.transfer({ below: ['show'], flow: 'IN' });
  const socket = join(storage, 'show/thing');
  const make: readonly (readonly [kind: string, () => Promise<unknown>])[] = [
    ['is a FIFO', () => Promise.resolve(execFileSync('mkfifo', [socket]))],
    ['is a device', () => Promise.resolve(execFileSync('mknod', [socket, 'c', '1', '3']))],
    [
      'is a socket',
      () =>
        new Promise<void>((resolve) => {
          // The path of a socket must be short when the socket is created.
          const short = join(tmpdir(), `callsheet-${process.pid}`);
          const server = createServer().listen(short, () => void rename(short, socket).then(resolve));
          t.teardown(() => server.close());
        }),
    ],
  ];
  for (const [kind, plantIt] of make) {
    await rm(join(storage, 'show'), { recursive: true, force: true });
    await mkdir(join(storage, 'show'));
    await plantIt();
    t.equal(
      await bench.copy('in', [show]),
      `stage_locally: copy in of parameter P: "$STORAGE/show/thing" ${kind}`,
    );
  }
});

void test('a task cannot direct a copy out of its directory', async (t) => {
  const bench = await StagingHarness.open(t);
  const { storage, session } = bench;
  await writeTree(storage, { 'show/a.txt': 'a' });
  const show = bench.transfer({ below: ['show'], flow: 'OUT' });
  const plants: readonly (readonly [what: string, plantIt: () => Promise<unknown>, reason: string])[] = [
    [
      'a link to a file',
      () => symlink('/etc/passwd', join(show.local, 'passwd')),
      '"$SESSION/staged/P/show/passwd" is a symbolic link, or is below one',
    ],
    [
      'a link to a directory',
      () => symlink('/etc', join(show.local, 'etc')),
      '"$SESSION/staged/P/show/etc" is a symbolic link, or is below one',
    ],
    [
      'a link in place of the directory',
      async () => {
        await rm(show.local, { recursive: true });
        await symlink('/etc', show.local);
      },
      '"$SESSION/staged/P/show" is a symbolic link, or is below one',
    ],
    [
      'a link in place of a directory above it',
      async () => {
        await rm(join(session, 'staged'), { recursive: true });
        await symlink('/etc', join(session, 'staged'));
      },
      '"$SESSION/staged/P/show" is a symbolic link, or is below one',
    ],
    [
      'a FIFO',
      () => Promise.resolve(execFileSync('mkfifo', [join(show.local, 'pipe')])),
      '"$SESSION/staged/P/show/pipe" is a FIFO',
    ],
    [
      'a file that is as good as empty',
      async () => {
        await writeFile(join(show.local, 'huge'), 'x');
        await truncate(join(show.local, 'huge'), 2 ** 40);
      },
      `"$SESSION/staged/P/show/huge" is sparse: ${2 ** 40} bytes, of which almost none are there`,
    ],
  ];
  for (const [what, plantIt, reason] of plants) {
    await rm(join(session, 'staged'), { recursive: true, force: true });
    t.equal(await bench.copy('in', [show]), null);
    await plantIt();
    t.equal(await bench.copy('out', [show]), `stage_locally: copy out of parameter P: ${reason}`, what);
  }
  t.strictSame(await readTree(storage), { 'show/a.txt': 'a' }, 'nothing was copied to the storage');
});

void test('links that were planted at the destination are not followed', async (t) => {
  const bench = await StagingHarness.open(t);
  const { storage } = bench;
  const outside = join(storage, '../outside');
  await writeTree(outside, { 'victim.txt': 'untouched' });
  await mkdir(join(storage, 'show'));
  await symlink(join(outside, 'victim.txt'), join(storage, 'show/frame.exr'));
  await symlink(outside, join(storage, 'show/sub'));
  await symlink(outside, join(storage, 'away'));
  const show = bench.transfer({ below: ['show'], flow: 'OUT' });
  const away = bench.transfer({
    parameter: 'Q',
    below: ['away', 'x'],
    localBelow: ['staged', 'Q', 'x'],
    flow: 'OUT',
  });
  t.equal(await bench.copy('in', [show, away]), null);

  await writeTree(show.local, { 'frame.exr': 'frame' });
  t.equal(await bench.copy('out', [show]), null, 'the file replaces the link');
  t.strictSame(await readTree(join(storage, 'show')), { 'frame.exr': 'frame', sub: '(link)' });

  await writeTree(show.local, { 'sub/victim.txt': 'taken' });
  t.equal(
    await bench.copy('out', [show]),
    'stage_locally: copy out of parameter P: "$STORAGE/show/sub" is below a symbolic link',
  );
  await writeTree(away.local, { 'victim.txt': 'taken' });
  t.equal(
    await bench.copy('out', [away]),
    'stage_locally: copy out of parameter Q: "$STORAGE/away/x" leads out of its storage location',
  );
  t.strictSame(await readTree(outside), { 'victim.txt': 'untouched' });
});

void test('a failed copy leaves no partial file', async (t) => {
  const bench = await StagingHarness.open(t);
  const { storage } = bench;
  await mkdir(join(storage, 'show/frame.exr'), { recursive: true });
  const show = bench.transfer({ below: ['show'], flow: 'OUT' });
  t.equal(await bench.copy('in', [show]), null);
  await writeTree(show.local, { 'frame.exr': 'frame' });
  t.equal(
    await bench.copy('out', [show]),
    'stage_locally: copy out of parameter P: "$STORAGE/show/frame.exr" is a directory, and a file is to take its place',
  );
  t.strictSame(await readTree(storage), { 'show/frame.exr': '(empty)' });
});

void test('a canceled copy is reported once', async (t) => {
  const bench = await StagingHarness.open(t);
  await writeTree(bench.storage, { 'show/a.txt': 'a' });
  const show = bench.transfer({ below: ['show'] });
  t.equal(
    await bench.copy('in', [show], null, () => bench.staging.stop(SESSION)),
    'stage_locally: copy in of parameter P: the copy was canceled',
  );
  t.equal(await bench.copy('in', [show]), null, 'the next copy is not canceled');
});

void test(
  'an isolated account gets only files that it may read, and owns the copies',
  { skip: process.getuid?.() !== 0 },
  async (t) => {
    const bench = await StagingHarness.open(t);
    const { storage } = bench;
    const owner = 'artist';
    bench.accounts.set(owner, { uid: 64001, gid: 64002, groups: [64003] });
    await writeTree(storage, { 'show/a.txt': 'a', 'private/b.txt': 'b', 'sticky/theirs.txt': 'old' });
    execFileSync('chown', ['64001:64002', bench.session]);
    await chmod(join(storage, 'private/b.txt'), 0o600);
    const show = bench.transfer({ below: ['show'] });
    t.equal(await bench.copy('in', [show], owner), null);
    const { uid, gid, mode } = await stat(join(show.local, 'a.txt'));
    t.strictSame([uid, gid, mode & 0o777], [64001, 64002, 0o600]);
    t.strictSame((await stat(show.local)).uid, 64001);

    const denied = 'may not be read or written by the account of the task';
    t.equal(
      await bench.copy('in', [bench.transfer({ below: ['private'], flow: 'IN' })], owner),
      `stage_locally: copy in of parameter P: "$STORAGE/private/b.txt" ${denied}`,
    );
    await writeTree(show.local, { 'a.txt': 'made by root' });
    await rm(join(show.local, 'a.txt'));
    await writeTree(show.local, { 'linked.txt': 'of root' });
    t.equal(
      await bench.copy('out', [show], owner),
      `stage_locally: copy out of parameter P: "$SESSION/staged/P/show/linked.txt" ${denied}`,
      'a hard link to a file of another owner is not copied',
    );
    await rm(join(show.local, 'linked.txt'));
    await writeTree(show.local, { 'new.txt': 'new' });
    execFileSync('chown', ['64001', join(show.local, 'new.txt')]);
    t.equal(
      await bench.copy('out', [show], owner),
      `stage_locally: copy out of parameter P: "$STORAGE/show/new.txt" ${denied}`,
      'the account may not write to the directory',
    );
    t.equal(await bench.copy('in', [show], 'nobody-here'), 'stage_locally: there is no account nobody-here');
    await chmod(join(storage, 'show'), 0o777);
    t.equal(await bench.copy('out', [show], owner), null);
    t.equal((await stat(join(storage, 'show/new.txt'))).uid, 64001);
  },
);

void test('a directory that is replaced continuously does not redirect a copy', async (t) => {
  const bench = await StagingHarness.open(t);
  const { storage } = bench;
  const show = bench.transfer({ below: ['show'], flow: 'OUT' });
  t.equal(await bench.copy('in', [show]), null);
  await writeTree(show.local, { 'sub/passwd': 'mine' });
  const sub = join(show.local, 'sub');
  const aside = join(show.local, '../aside');
  let isOver = false;
  const attacker = (async () => {
    while (!isOver) {
      await rename(sub, aside);
      await symlink('/etc', sub);
      await rm(sub);
      await rename(aside, sub);
    }
  })();
  for (let round = 0; round < 200; round++) {
    await bench.copy('out', [show]);
    await utimes(join(sub, 'passwd'), round, round).catch(() => undefined);
  }
  isOver = true;
  await attacker;
  t.equal(await bench.copy('out', [show]), null);
  t.strictSame(await readTree(storage), { 'show/sub/passwd': 'mine' });
  t.equal((await lstat(join(storage, 'show/sub'))).isDirectory(), true);
});

void test('hard links inside the directory of the task are copied as files', async (t) => {
  const bench = await StagingHarness.open(t);
  const show = bench.transfer({ below: ['show'], flow: 'OUT' });
  t.equal(await bench.copy('in', [show]), null);
  await writeTree(show.local, { 'a.exr': 'frame' });
  await link(join(show.local, 'a.exr'), join(show.local, 'b.exr'));
  t.equal(await bench.copy('out', [show]), null);
  t.strictSame(await readTree(bench.storage), { 'show/a.exr': 'frame', 'show/b.exr': 'frame' });
});

void test('a link to a directory next to the root, whose name begins like it, is refused', async (t) => {
  const bench = await StagingHarness.open(t);
  const beside = `${bench.storage}-of-others`;
  t.teardown(() => rm(beside, { recursive: true, force: true }));
  await mkdir(beside);
  await writeFile(join(beside, 'a.txt'), 'of others');
  await writeTree(bench.storage, { '-of-others/a.txt': 'own' });
  await symlink(join(beside, 'a.txt'), join(bench.storage, 'linked.txt'));
  const transfer = bench.transfer({ objectType: 'FILE', below: ['linked.txt'] });
  t.match(await bench.copy('in', [transfer]), /leads out of its storage location/);
});
