import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { t as tap, test } from 'tap';
import {
  encodeChangeSet,
  readChangeSet,
  type EncodedChangeSet,
} from '../../../src/adapters/lmdb/change-set-codec.ts';
import { compactStore } from '../../../src/adapters/lmdb/compaction.ts';
import { openExistingStore } from '../../../src/adapters/lmdb/existing-store.ts';
import { JOURNAL_HEADER_BYTES, writeRecord } from '../../../src/adapters/lmdb/journal-format.ts';
import { JOURNAL_BYTES, openJournalFile, readJournal } from '../../../src/adapters/lmdb/journal.ts';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { readJournalPass } from '../../../src/adapters/lmdb/store-format.ts';
import { backupStores } from '../../../daemons/maintenance/backup.ts';
import { restoreStores } from '../../../daemons/maintenance/restore.ts';
import { put, removePrefix, type Change } from '../../../src/core/records/change-set.ts';
import { mountFault, mountSmallDisk } from '../../kit/small-disk.ts';
import { checkReadable, checkStore, acknowledgedSets } from './numbered-sets.ts';
import { logWriterOptions, openDirectStore, runProgram, writerOptions } from './store-kit.ts';

/** In milliseconds: the test starts processes and fills file systems. */
tap.setTimeout(120_000);

const MIB = 2 ** 20;
const STORE = '0191c0de-0000-4000-8000-000000000001';
const OTHER_STORE = '0191c0de-0000-4000-8000-000000000002';

const setOf = (...changes: Change[]): EncodedChangeSet =>
  readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }));
const page = (key: string, bytes: number, fill: number): EncodedChangeSet =>
  setOf(put('taskPage', key, new Uint8Array(bytes).fill(fill)));
/** Returns every page of a store by key: its length and its first byte. */
async function pagesOf(directory: string): Promise<Record<string, readonly [number, number | undefined]>> {
  const reader = await openStateReader(directory);
  const pages = [...reader.scan('taskPage')].map(
    ({ key, value }) => [key, [value.length, value[0]]] as const,
  );
  await reader.close();
  return Object.fromEntries(pages);
}

const recorded = (directory: string, pass: number): string[] =>
  readJournal(directory, STORE, pass).map(({ changes }) => Buffer.from(changes[0]?.key ?? []).toString());

test('appended sets are read only in their pass, also after the journal is reopened', (t) => {
  const directory = t.testdir();
  t.strictSame(recorded(directory, 1), [], 'the journal does not exist yet');
  const journal = openJournalFile(directory, STORE, 8192, 1);
  t.equal(statSync(join(directory, 'journal.bin')).size, 8192);
  t.equal(existsSync(join(directory, 'journal.partial')), false);
  t.strictSame(recorded(directory, 1), []);
  t.equal(journal.append([page('a', 10, 1), page('b', 0, 1)]), true);
  t.equal(journal.append([page('c', 700, 1)]), true);
  t.equal(journal.append([]), true);
  t.strictSame(recorded(directory, 1), ['a', 'b', 'c']);
  t.strictSame(recorded(directory, 2), []);
  t.strictSame(recorded(directory, 0), []);
  journal.begin(2);
  t.strictSame(recorded(directory, 1), ['a', 'b', 'c'], 'until it is overwritten');
  t.equal(journal.append([page('d', 10, 1)]), true);
  t.strictSame(recorded(directory, 1), []);
  t.strictSame(recorded(directory, 2), ['d']);
  journal.close();

  const again = openJournalFile(directory, STORE, 8192, 3);
  t.strictSame(recorded(directory, 2), ['d'], 'opening changes nothing');
  t.equal(again.append([page('e', 10, 1)]), true);
  t.strictSame(recorded(directory, 3), ['e']);
  again.close();
  t.end();
});

test('sets that do not fit are not written, earlier ones are kept, and smaller ones can follow', (t) => {
  const directory = t.testdir();
  const journal = openJournalFile(directory, STORE, 4096, 1);
  t.equal(journal.append([page('a', 1000, 1)]), true);
  t.equal(journal.append([page('b', 10, 1), page('c', 4000, 1)]), false);
  t.strictSame(recorded(directory, 1), ['a']);
  t.equal(journal.append([page('d', 1000, 1)]), true);
  t.strictSame(recorded(directory, 1), ['a', 'd']);
  journal.begin(2);
  t.equal(journal.append([page('e', 5000, 1)]), false, 'a set that never fits');
  t.equal(journal.append([page('f', 3000, 1)]), true);
  t.strictSame(recorded(directory, 2), ['f']);
  journal.close();
  t.end();
});

test('a journal can be filled to its last byte', (t) => {
  const directory = t.testdir();
  const set = page('a', 100, 1);
  const record = 20 + set.encoded.byteLength;
  const journal = openJournalFile(directory, STORE, JOURNAL_HEADER_BYTES + 3 * record, 1);
  for (let n = 1; n <= 3; n++) t.equal(journal.append([set]), true, `record ${n}`);
  t.equal(journal.append([set]), false);
  t.strictSame(recorded(directory, 1), ['a', 'a', 'a']);
  t.equal(statSync(join(directory, 'journal.bin')).size, JOURNAL_HEADER_BYTES + 3 * record);
  journal.close();
  t.end();
});

test('any order of appends, applied sets and restarts keeps acknowledged sets', async (t) => {
  const root = t.testdir();
  let run = 0;
  let takenIn = 0;
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('append' as const), pages: fc.integer({ min: 1, max: 3 }) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('apply' as const), pages: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('removePrefix' as const), pages: fc.constant(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), pages: fc.constant(0) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async (steps) => {
      const directory = join(root, String(++run));
      const options = { ...writerOptions(directory), journalBytes: 4096 };
      let writer = await openDirectStore(options);
      const model = new Map<string, number>();
      let counter = 0;
      let isUnread = false;
      const next = (): EncodedChangeSet => {
        const key = `p${counter % 7}`;
        const bytes = (counter * 97) % 600;
        model.set(key, bytes);
        counter++;
        return page(key, bytes, 1);
      };
      const write = (sets: readonly EncodedChangeSet[]): void => {
        const isWritten = writer.append(sets);
        if (!isWritten) writer.apply(sets);
        isUnread = isWritten;
      };
      for (const { do: what, pages } of steps) {
        const sets = what === 'append' || what === 'apply' ? Array.from({ length: pages }, next) : [];
        if (what === 'append') write(sets);
        if (what === 'apply') {
          writer.apply(sets);
          isUnread = false;
        }
        if (what === 'removePrefix') {
          model.clear();
          write([setOf(removePrefix('taskPage', 'p'))]);
        }
        if (what === 'restart') {
          // As after a kill: no more sets are applied to the tables.
          await writer.close();
          if (isUnread) takenIn++;
          isUnread = false;
          writer = await openDirectStore(options);
        }
      }
      await writer.close();
      if (isUnread) takenIn++;
      const last = await openDirectStore(options);
      const pages = await pagesOf(directory);
      await last.close();
      const expected = Object.fromEntries([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
      const found = Object.fromEntries(Object.entries(pages).map(([key, [length]]) => [key, length]));
      t.strictSame(found, expected);
      rmSync(directory, { recursive: true });
    }),
    { numRuns: 16 },
  );
  t.ok(takenIn > 10, `${takenIn} starts have replayed sets`);
});

test('replayed sets are discarded: a second start replays nothing', async (t) => {
  const directory = t.testdir();
  const first = await openDirectStore(writerOptions(directory));
  t.equal(first.append([page('a', 10, 1), page('b', 10, 1)]), true);
  await first.close();
  t.strictSame(await pagesOf(directory), {}, 'the tables are empty before a start');
  const second = await openDirectStore(writerOptions(directory));
  t.strictSame(await pagesOf(directory), { a: [10, 1], b: [10, 1] });
  second.apply([page('a', 20, 2)]);
  await second.close();
  const third = await openDirectStore(writerOptions(directory));
  t.strictSame(await pagesOf(directory), { a: [20, 2], b: [10, 1] });
  t.equal(third.append([page('c', 30, 3)]), true);
  await third.close();
  const fourth = await openDirectStore(writerOptions(directory));
  await fourth.close();
  const fifth = await openDirectStore(writerOptions(directory));
  t.strictSame(await pagesOf(directory), { a: [20, 2], b: [10, 1], c: [30, 3] });
  await fifth.close();
});

test('a damaged, foreign or unreadable journal is rejected by name', async (t) => {
  const root = t.testdir();
  const refusal = async (name: string, damage: (path: string) => void): Promise<string> => {
    const directory = join(root, name);
    const writer = await openDirectStore(writerOptions(directory));
    writer.append([page('a', 10, 1)]);
    await writer.close();
    damage(join(directory, 'journal.bin'));
    const [result] = await Promise.allSettled([openDirectStore(writerOptions(directory))]);
    if (result.status === 'fulfilled') await result.value.close();
    return result.status === 'rejected' ? String(result.reason).replaceAll(directory, '<dir>') : 'opened';
  };
  const change = (by: (file: Buffer) => Buffer) => (path: string) =>
    writeFileSync(path, by(readFileSync(path)));
  const said = 'StoreOpenError: the store in <dir> cannot be opened: ';
  t.equal(
    await refusal(
      'letters',
      change((file) => file.fill('x', 0, 3)),
    ),
    `${said}its journal journal.bin is damaged`,
  );
  t.equal(
    await refusal(
      'empty',
      change(() => Buffer.alloc(0)),
    ),
    `${said}its journal journal.bin is damaged`,
  );
  t.equal(
    await refusal(
      'cut',
      change((file) => file.subarray(0, 43)),
    ),
    `${said}its journal journal.bin is damaged`,
  );
  t.equal(
    await refusal(
      'another',
      change((file) => file.fill(OTHER_STORE, 8, 44)),
    ),
    `${said}the journal journal.bin is that of another store`,
  );
  const asDirectory = (path: string): void => {
    rmSync(path);
    mkdirSync(path);
  };
  t.match(
    await refusal('directory', asDirectory),
    /^StoreOpenError: .*: its journal journal\.bin cannot be read: EISDIR/,
  );
  const noSet = (path: string): void => {
    const file = readFileSync(path);
    // The first record of the current pass, with a correct checksum but content that Callsheet never writes.
    const pass = file.readDoubleLE(JOURNAL_HEADER_BYTES + 8);
    writeRecord(file, JOURNAL_HEADER_BYTES, { pass, place: 0, bytes: Buffer.from([9, 0, 0, 0]) });
    writeFileSync(path, file);
  };
  t.match(
    await refusal('no-set', noSet),
    /^StoreOpenError: .*: its journal journal\.bin contains a record that is not a change set: .*$/,
  );
  t.equal(
    await refusal(
      'cut-behind',
      change((file) => file.subarray(0, 44)),
    ),
    'opened',
    'nothing of it is applied',
  );
  t.equal(await refusal('gone', (path) => rmSync(path)), 'opened');
});

test('a store whose directory contains only the journal does not replay it', async (t) => {
  const directory = t.testdir();
  const writer = await openDirectStore(writerOptions(directory));
  writer.append([page('a', 10, 1)]);
  await writer.close();
  rmSync(join(directory, 'data.mdb'));
  await t.rejects(openDirectStore(writerOptions(directory)), {
    message: /the journal journal\.bin is that of another store$/,
  });
});

const SMALL_DISK = { reserveBytes: 2 * MIB, lowBytes: 4 * MIB, okBytes: 6 * MIB };

test(
  'sets that were acknowledged on a full disk fit into the tables, all of them together',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 64 * MIB);
    const directory = join(disk.path, 'state');
    const options = { ...writerOptions(directory, { disk: SMALL_DISK }), journalBytes: 16 * MIB };
    const writer = await openDirectStore(options);
    disk.fillUpTo(0);
    let acknowledged = 0;
    const append = (): void => {
      for (let n = 0; n < 60; n++) {
        if (!writer.append([page(String(n).padStart(3, '0'), 200 * 1024, n)])) return;
        acknowledged++;
      }
    };
    t.throws(append, { message: /^disk-full: \d+ bytes are needed in .*state and the disk is full$/ });
    t.ok(acknowledged > 0, `${acknowledged} were acknowledged`);
    await writer.close();

    const pages = Object.fromEntries(
      Array.from({ length: acknowledged }, (_, n) => [String(n).padStart(3, '0'), [200 * 1024, n]]),
    );
    // A copy has no reserved blocks.
    const copy = join(disk.path, 'copy');
    disk.empty();
    cpSync(directory, copy, { recursive: true });
    disk.fillUpTo(0);
    const copyOptions = { ...options, directory: copy };
    const reason =
      /the journal has changes that are not in the tables yet; they need \d+ bytes, and the disk is full$/;
    await t.rejects(openDirectStore(copyOptions), { name: 'StoreOpenError', message: reason });
    await t.rejects(openDirectStore(copyOptions), { name: 'StoreOpenError', message: reason }, 'and again');
    const kept = await openDirectStore(options);
    t.strictSame(await pagesOf(directory), pages, 'the reserve of the earlier process has room for them');
    await kept.close();
    disk.empty();
    const again = await openDirectStore(copyOptions);
    t.strictSame(await pagesOf(copy), pages);
    await again.close();
  },
);

test(
  'without disk space for a journal, sets are applied immediately and a warning is logged',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 32 * MIB);
    const directory = join(disk.path, 'state');
    const warnings: string[] = [];
    const options = {
      ...writerOptions(directory, { disk: SMALL_DISK, warn: (text) => warnings.push(text) }),
      journalBytes: 64 * MIB,
    };
    const writer = await openDirectStore(options);
    t.strictSame(warnings, [
      `the disk has no room for a journal in ${directory}: leases are slower until the next start`,
    ]);
    t.strictSame(
      readdirSync(directory).filter((name) => name.startsWith('journal')),
      [],
      'the failed journal file uses no space',
    );
    t.equal(writer.append([page('a', 10, 1)]), false);
    writer.apply([page('a', 10, 1)]);
    await writer.close();
    const next = await openDirectStore({ ...options, journalBytes: JOURNAL_BYTES });
    t.equal(next.append([page('b', 10, 2)]), true, 'the next start has space');
    await next.close();
    const last = await openDirectStore(options);
    t.strictSame(await pagesOf(directory), { a: [10, 1], b: [10, 2] });
    await last.close();
  },
);

test('a store with an empty journal opens on a full disk', { skip: mountFault() }, async (t) => {
  const disk = mountSmallDisk(t, 32 * MIB);
  const original = join(disk.path, 'state');
  const writer = await openDirectStore(writerOptions(original, { disk: SMALL_DISK }));
  writer.apply([page('a', 10, 1)]);
  await writer.close();
  // A copy has no reserved blocks.
  const directory = join(disk.path, 'copy');
  cpSync(original, directory, { recursive: true });
  const options = writerOptions(directory, { disk: SMALL_DISK });
  disk.fillUpTo(0);
  const warned: string[] = [];
  const full = await openDirectStore({ ...options, warn: (text) => warned.push(text) });
  t.strictSame(warned, [
    `the disk has no room for a journal in ${directory}: leases are slower until the next start`,
  ]);
  t.throws(() => full.append([page('b', 10, 1)]), { message: /^disk-full: / });
  t.strictSame(await pagesOf(directory), { a: [10, 1] });
  t.throws(() => full.apply([page('b', 10, 1)]), { message: /^disk-full: / });
  await full.close();
  disk.empty();
  const again = await openDirectStore(options);
  t.equal(again.append([page('b', 10, 1)]), true);
  await again.close();
});

const straceFault = (): string | false => {
  const run = spawnSync('strace', ['-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (run.error) return 'strace is not installed';
  return run.status === 0 ? false : `strace cannot trace here: ${run.stderr.trim()}`;
};

/** Runs a program while writes to the journal fail from call number `from` on. */
const withFailingJournal = (directory: string, error: string, from: number): string[] => [
  ...['strace', '-f', '-qq', '-o', '/dev/null', '-P', join(directory, 'journal.bin')],
  ...['-e', 'trace=pwrite64', '-e', `inject=pwrite64:error=${error}:when=${from}+`],
];

async function makeStore(directory: string): Promise<void> {
  const writer = await openDirectStore(writerOptions(directory));
  await writer.close();
}

for (const from of [1, 7]) {
  test(
    `journal writes fail from call ${from} on: the process ends and has acknowledged only stored sets`,
    { skip: straceFault() },
    async (t) => {
      const directory = t.testdir();
      await makeStore(directory);
      const end = await runProgram('commit-forever', [directory], withFailingJournal(directory, 'EIO', from))
        .ended;
      t.match(
        end.stderr,
        /^callsheet: ending the process \(commit-failed\): the journal in .* failed: EIO: .*\n$/,
      );
      t.strictSame([end.code, end.signal], [74, null]);
      const { acknowledged } = acknowledgedSets(end);
      if (from > 1) t.ok(acknowledged.length > 0);
      await checkStore(t, directory, acknowledged);
    },
  );
}

for (const error of ['ENOSPC', 'EDQUOT']) {
  test(
    `the journal's writes fail with ${error}: sets are applied immediately, and the process continues`,
    { skip: straceFault() },
    async (t) => {
      const directory = t.testdir();
      await makeStore(directory);
      const end = await runProgram(
        'commit-forever',
        [directory, '60'],
        withFailingJournal(directory, error, 5),
      ).ended;
      t.equal(end.signal, 'SIGKILL', end.stderr);
      t.equal(end.stderr, '');
      const { acknowledged } = acknowledgedSets(end);
      t.equal(acknowledged.length, 60);
      await checkStore(t, directory, acknowledged);
    },
  );
}

/**
 * Creates the data directory of a state store that was killed with `sets` sets in the journal. Returns the acknowledged
 * ones.
 */
async function killedWithJournal(dataDirectory: string, sets: number): Promise<readonly number[]> {
  const logs = await openLogWriter(logWriterOptions(join(dataDirectory, 'logs')));
  await logs.close();
  const end = await runProgram('die-with-a-journal', [join(dataDirectory, 'state'), String(sets)]).ended;
  if (end.signal !== 'SIGKILL') throw new Error(end.stderr);
  return acknowledgedSets(end).acknowledged;
}

test('after kill -9 a backup contains all acknowledged sets, and so does the store', async (t) => {
  const data = join(t.testdir(), 'data');
  mkdirSync(data);
  const acknowledged = await killedWithJournal(data, 30);
  t.equal(acknowledged.length, 30);
  const file = join(dirname(data), 'backup.tar');
  await backupStores(
    { dataDirectory: data, file, force: false, softwareVersion: '0.0.0-test' },
    () => undefined,
  );
  t.equal(
    await checkReadable(t, join(data, 'state'), acknowledged),
    30,
    'the sets are in the tables since then',
  );

  const restored = join(dirname(data), 'restored');
  await restoreStores(restored, file);
  t.equal(await checkReadable(t, join(restored, 'state'), acknowledged), 30);
  t.equal(existsSync(join(restored, 'state', 'journal.bin')), false);
  t.equal(await checkStore(t, join(restored, 'state'), acknowledged), 30);

  // Both continue independently, and the records of one are not visible to the other.
  const more = await killedWithJournal(data, 10);
  t.strictSame([more[0], more.length], [31, 10]);
  await backupStores(
    { dataDirectory: data, file, force: true, softwareVersion: '0.0.0-test' },
    () => undefined,
  );
  t.equal(await checkStore(t, join(data, 'state'), more), 40);
  t.equal(await checkStore(t, join(restored, 'state'), acknowledged), 30);
});

test('a compaction after kill -9 leaves the journal to the next start', async (t) => {
  const data = join(t.testdir(), 'data');
  mkdirSync(data);
  const directory = join(data, 'state');
  const writer = await openDirectStore(writerOptions(directory));
  const keys = Array.from({ length: 500 }, (_, n) => `x${n}`);
  for (const key of keys) writer.apply([page(key, 3000, 1)]);
  writer.apply([setOf(removePrefix('taskPage', 'x'))]);
  await writer.close();
  const acknowledged = await killedWithJournal(data, 25);
  t.match(await compactStore(directory, 'state', 0), { done: true });
  t.equal(await checkReadable(t, directory, []), 0, 'a compaction replays nothing');
  t.equal(await checkStore(t, directory, acknowledged), 25);
  t.match(await compactStore(directory, 'state', 0), { done: true });
  t.equal(await checkStore(t, directory, acknowledged), 25);
});

test('each start begins a new pass, and so does an apply of recorded sets', async (t) => {
  const directory = t.testdir();
  const passNow = async (): Promise<number> => {
    const { environment } = await openExistingStore(directory, 'state');
    const pass = readJournalPass(environment);
    await environment.close();
    return pass;
  };
  const begun: number[] = [];
  for (let start = 0; start < 3; start++) {
    const writer = await openDirectStore(writerOptions(directory));
    begun.push(await passNow());
    await writer.close();
  }
  t.equal(new Set(begun).size, 3, 'all passes are different');
  const writer = await openDirectStore(writerOptions(directory));
  const first = await passNow();
  writer.append([page('a', 10, 1)]);
  writer.apply([]);
  t.equal(await passNow(), first + 1);
  writer.apply([page('b', 10, 1)]);
  t.equal(await passNow(), first + 1, 'no set was recorded since');
  await writer.close();
});
