import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'tap';
import { ArchiveError, extractArchive } from '../../../src/adapters/backup/archive-reader.ts';
import { writeArchive } from '../../../src/adapters/backup/archive-writer.ts';
import { readManifest, type BackupManifest } from '../../../src/adapters/backup/manifest.ts';
import { tarEntrySize, tarHeader } from '../../../src/adapters/backup/tar-entry.ts';

const CONTENTS = { state: Buffer.alloc(1300, 'state'), logs: Buffer.alloc(1024, 'logs') } as const;

const KEYS = [
  { name: 'bus/keys.json', data: Buffer.from('{"v":1}') },
  { name: 'bus/tls/ca.key', data: Buffer.alloc(600, 'k') },
] as const;

/** Creates a backup of small files in the directory. */
async function makeArchive(directory: string, keys: typeof KEYS | [] = []): Promise<BackupManifest> {
  const contents = CONTENTS;
  const files = keys.map(({ name, data }) => ({ name, bytes: data.length }));
  const manifest: BackupManifest = {
    backup: files.length === 0 ? 1 : 2,
    made_by: '0.0.0-test',
    made_at: '2025-01-02T03:04:05Z',
    store_id: '01935000-0000-7000-8000-000000000001',
    parts: [
      { kind: 'state', name: 'state/data.mdb', bytes: contents.state.length, format: 1 },
      { kind: 'logs', name: 'logs/data.mdb', bytes: contents.logs.length, format: 1 },
    ],
    ...(files.length === 0 ? {} : { files }),
  };
  const paths = manifest.parts.map(({ kind }) => {
    writeFileSync(join(directory, kind), contents[kind]);
    return join(directory, kind);
  });
  await writeArchive(
    join(directory, 'b.tar'),
    manifest,
    paths,
    keys.map(({ data }) => data),
  );
  return manifest;
}

/** Extracts an archive into a new folder. Returns the error message if it is rejected. */
async function extract(archive: string, folder: string): Promise<string | null> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    await extractArchive(
      archive,
      () => null,
      ({ name }) => join(folder, name.replace('/data.mdb', '').replaceAll('/', '-')),
    );
    return null;
  } catch (error) {
    if (error instanceof ArchiveError) return error.message.replace(`${archive} is not restored: `, '');
    throw error;
  }
}

test('an archive restores its files, and other programs can read it', async (t) => {
  const directory = t.testdir();
  const manifest = await makeArchive(directory);
  t.strictSame(readdirSync(directory), ['b.tar'], 'no draft and no copy remains');
  const archive = join(directory, 'b.tar');
  t.equal(statSync(archive).mode & 0o777, 0o600);
  t.equal(await extract(archive, join(directory, 'out')), null);
  for (const kind of ['state', 'logs'] as const)
    t.ok(readFileSync(join(directory, 'out', kind)).equals(CONTENTS[kind]), kind);

  mkdirSync(join(directory, 'tar'));
  const unpacked = spawnSync('tar', ['-xf', archive, '-C', join(directory, 'tar')], { encoding: 'utf8' });
  t.equal(unpacked.stderr, '');
  t.strictSame(JSON.parse(readFileSync(join(directory, 'tar/callsheet-backup.json'), 'utf8')), manifest);
  const checked = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], {
    cwd: join(directory, 'tar'),
    encoding: 'utf8',
  });
  t.equal(checked.stdout, 'callsheet-backup.json: OK\nstate/data.mdb: OK\nlogs/data.mdb: OK\n');
});

test('an archive with any altered byte is rejected', async (t) => {
  const directory = t.testdir();
  await makeArchive(directory, KEYS);
  const whole = readFileSync(join(directory, 'b.tar'));
  const altered = join(directory, 'altered.tar');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: whole.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, by) => {
        const bytes = Buffer.from(whole);
        bytes[at] = ((bytes[at] ?? 0) + by) % 256;
        writeFileSync(altered, bytes);
        return (await extract(altered, join(directory, 'out'))) !== null;
      },
    ),
    { numRuns: 300 },
  );
});

test('an archive that is truncated at any byte is rejected', async (t) => {
  const directory = t.testdir();
  await makeArchive(directory, KEYS);
  const whole = readFileSync(join(directory, 'b.tar'));
  const cut = join(directory, 'cut.tar');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), async (length) => {
      writeFileSync(cut, whole.subarray(0, length));
      return (await extract(cut, join(directory, 'out'))) !== null;
    }),
    { numRuns: 100 },
  );
});

test('an error names the problem and its position', async (t) => {
  const directory = t.testdir();
  await makeArchive(directory);
  const whole = readFileSync(join(directory, 'b.tar'));
  const damaged = join(directory, 'damaged.tar');
  const refusalOf = (bytes: Buffer): Promise<string | null> => {
    writeFileSync(damaged, bytes);
    return extract(damaged, join(directory, 'out'));
  };
  const stateAt = whole.indexOf('statestate');
  const flipped = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  t.equal(await refusalOf(Buffer.alloc(0)), 'it is not a backup of Callsheet');
  t.equal(await refusalOf(Buffer.alloc(4096, 'x')), 'it is not a backup of Callsheet');
  t.equal(
    await refusalOf(whole.subarray(0, stateAt + 100)),
    `it ends early in state/data.mdb, at byte ${stateAt + 100}`,
  );
  t.equal(
    await refusalOf(whole.subarray(0, whole.length - 1)),
    `it ends early in its end, at byte ${whole.length - 1}`,
  );
  t.equal(
    await refusalOf(flipped(stateAt + 7)),
    'the checksum of state/data.mdb does not match: it was altered',
  );
  t.equal(
    await refusalOf(flipped(whole.indexOf('0.0.0-test'))),
    'the checksum of callsheet-backup.json does not match: it was altered',
  );
  t.equal(
    await refusalOf(flipped(stateAt - 512)),
    `the header of state/data.mdb was altered at byte ${stateAt - 512}`,
  );
  t.equal(
    await refusalOf(flipped(stateAt + CONTENTS.state.length)),
    `the padding of state/data.mdb was altered at byte ${stateAt + CONTENTS.state.length}`,
  );
  writeFileSync(damaged, whole);
  appendFileSync(damaged, 'x');
  t.equal(
    await extract(damaged, join(directory, 'out')),
    `it has data after its end, at byte ${whole.length}`,
  );
});

test('an archive keeps the keys of the bus, readable only by their owner', async (t) => {
  const directory = t.testdir();
  await makeArchive(directory, KEYS);
  const out = join(directory, 'out');
  t.equal(await extract(join(directory, 'b.tar'), out), null);
  for (const { name, data } of KEYS) {
    const path = join(out, name.replaceAll('/', '-'));
    t.ok(readFileSync(path).equals(data), name);
    t.equal(statSync(path).mode & 0o777, 0o600);
  }
});

test('a manifest names only the files of the keys of the bus', async (t) => {
  const manifest = await makeArchive(t.testdir());
  const read = (backup: number, files?: unknown): boolean =>
    readManifest(JSON.stringify({ ...manifest, backup, files })).ok;
  const [keys] = KEYS;
  const file = { name: keys.name, bytes: 7 };
  t.ok(read(1));
  t.ok(read(2, [file]));
  t.ok(read(2, [file, { name: 'bus/tls/ca.key', bytes: 1 }, { name: 'bus/tls/ca.pem', bytes: 65_536 }]));
  for (const files of [
    undefined,
    [],
    {},
    'bus/keys.json',
    [null],
    [{ ...file, name: '../escaped' }],
    [{ ...file, name: '/etc/shadow' }],
    [{ ...file, name: 'bus/nats-server.conf' }],
    [{ ...file, bytes: 0 }],
    [{ ...file, bytes: 1.5 }],
    [{ ...file, bytes: 65_537 }],
    [file, file],
    [{ name: 'bus/tls/ca.pem', bytes: 1 }, file],
  ])
    t.notOk(read(2, files), JSON.stringify(files));
  t.notOk(read(1, [file]), 'format 1 has no keys');
});

test('a manifest of another version is rejected with its number', async (t) => {
  t.strictSame(readManifest('{"backup": 3, "made_by": "9.9.9"}'), {
    ok: false,
    reason: 'it has format 3 (made by version 9.9.9) and this program knows formats 1 and 2',
  });
  for (const text of [
    '',
    'x',
    '[]',
    '1',
    'null',
    '{}',
    '{"backup":1}',
    '{"backup":1,"made_by":"a","made_at":"b"}',
  ])
    t.equal(readManifest(text).ok, false, text);
});

test('sizes beyond 8 GiB are encoded as in GNU tar', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), async (bytes) =>
      Promise.resolve(tarEntrySize(tarHeader({ name: 'a', bytes, modifiedAt: 0 })) === bytes),
    ),
  );
  t.equal(tarEntrySize(Buffer.alloc(512)), null);
  t.throws(() => tarHeader({ name: 'a'.repeat(101), bytes: 1, modifiedAt: 0 }), /too long/);
});
