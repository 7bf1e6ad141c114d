import { join } from 'node:path';
import { t as tap, test } from 'tap';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import {
  encodeChangeSet,
  readChangeSet,
  type EncodedChangeSet,
} from '../../../src/adapters/lmdb/change-set-codec.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { mountFault, mountSmallDisk } from '../../kit/small-disk.ts';
import { JOB } from './fixed-rows.ts';
import {
  logWriterOptions,
  openDirectStore,
  runProgram,
  startStore,
  threadOptions,
  writerOptions,
} from './store-kit.ts';

/** Row F4 of the fault matrix (docs/faults.md#the-fault-matrix): the disk of the store becomes full. */

/** In milliseconds: the test fills file systems. */
tap.setTimeout(120_000);

const MIB = 2 ** 20;
const DISK = { reserveBytes: 16 * MIB, lowBytes: 4 * MIB, okBytes: 6 * MIB };

let sequence = 1;
const setOf = (...changes: Change[]): EncodedChangeSet =>
  readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: sequence++, changes }));
const page = (n: number): Change =>
  put('taskPage', String(n).padStart(6, '0'), new Uint8Array(200 * 1024).fill(n));

test(
  'a full disk is reported as low, running work commits inside the reserve, and no write fails',
  {
    skip: mountFault(),
  },
  async (t) => {
    const disk = mountSmallDisk(t, 64 * MIB);
    const directory = join(disk.path, 'state');
    const writer = await openStateWriter(writerOptions(directory, { disk: DISK }));
    t.equal(writer.diskState(), 'ok');
    writer.apply([setOf(page(0))]);
    disk.fillUpTo(5 * MIB);
    t.equal(writer.diskState(), 'ok', 'between the marks the state is unchanged');
    disk.fillUpTo(0);
    t.equal(writer.diskState(), 'low');

    let applied = 0;
    t.throws(
      () => {
        for (let n = 1; n <= 1000; n++) {
          writer.apply([setOf(page(n))]);
          applied = n;
        }
      },
      { message: /^disk-full: \d+ bytes are needed in .*state and the disk is full$/ },
    );
    t.ok(applied >= 20, `${applied} sets of 200 KiB were committed on the full disk`);
    t.throws(() => writer.apply([setOf(page(2000))]), { message: /^disk-full: / });
    writer.apply([]);

    disk.fillUpTo(5 * MIB);
    t.equal(writer.diskState(), 'low', 'between the marks the state is unchanged');
    disk.empty();
    t.equal(writer.diskState(), 'ok');
    writer.apply([setOf(page(2000), remove('taskPage', '000001'))]);
    const reader = await openStateReader(directory);
    const keys = [...reader.scan('taskPage')].map(({ key }) => Number(key));
    t.strictSame(keys, [0, ...Array.from({ length: applied - 1 }, (_, i) => i + 2), 2000]);
    await reader.close();
    await writer.close();
  },
);

test(
  'a start on a full disk keeps the journal and the reserve of the earlier process',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 64 * MIB);
    const directory = join(disk.path, 'state');
    const earlier = await openDirectStore(writerOptions(directory, { disk: DISK }));
    earlier.apply([setOf(page(0))]);
    disk.fillUpTo(0);
    await earlier.close();
    const warnings: string[] = [];
    const writer = await openDirectStore(
      writerOptions(directory, { disk: DISK, warn: (text) => warnings.push(text) }),
    );
    t.same(warnings, [], 'there is room for the journal');
    t.equal(writer.diskState(), 'low');
    t.equal(writer.append([setOf(page(1))]), true, 'leases are journaled');
    for (let n = 2; n <= 20; n++) writer.apply([setOf(page(n))]);
    const reader = await openStateReader(directory);
    t.equal([...reader.scan('taskPage')].length, 21);
    await reader.close();
    await writer.close();
  },
);

test(
  'the main thread is notified when the disk becomes low and when it is ok again',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, 64 * MIB);
    const told: string[] = [];
    let next: (() => void) | undefined;
    const changed = (): Promise<void> => new Promise((resolve) => (next = resolve));
    const events = {
      diskChanged: (state: string): void => {
        told.push(state);
        next?.();
      },
      warned: (text: string): void => {
        throw new Error(text);
      },
    };
    const thread = await startStore({ ...threadOptions(join(disk.path, 'state')), disk: DISK }, events);
    t.equal(thread.diskState(), 'ok');
    disk.fillUpTo(0);
    await changed();
    t.equal(thread.diskState(), 'low');
    disk.empty();
    await changed();
    t.equal(thread.diskState(), 'ok');
    t.strictSame(told, ['low', 'ok']);
    await thread.stop();
  },
);

test('a process with a full store exits with its own exit code', { skip: mountFault() }, async (t) => {
  const disk = mountSmallDisk(t, 16 * MIB);
  const end = await runProgram('commit-forever', [join(disk.path, 'state')]).ended;
  t.match(
    end.stderr,
    /^callsheet: ending the process \(disk-full\): \d+ bytes are needed in .* and the disk is full\n$/,
  );
  t.strictSame([end.code, end.signal], [73, null]);
});

test('logs are rejected while the disk is low, and stored afterwards', { skip: mountFault() }, async (t) => {
  const disk = mountSmallDisk(t, 64 * MIB);
  const writer = await openLogWriter(logWriterOptions(join(disk.path, 'logs'), { disk: DISK }));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const chunk = {
    attempt: { jobId: JOB, stepOrder: 0, index: 0, attemptNumber: 1 },
    seqNum: 1,
    stream: 'stdout',
    data: 'x',
    at: '2026-11-21T00:00:00Z',
    receivedAt: 1,
    streamSequence: 1,
    mayOvertake: true,
  } as const;
  disk.fillUpTo(0);
  t.strictSame(writer.append([chunk]), { ok: false, reason: 'disk-low' });
  disk.empty();
  t.equal(writer.append([chunk]).ok, true);
  await writer.close();
});
