import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { put, remove, type Change, type ChangeSet } from '../../../src/core/records/change-set.ts';
import {
  decodeChangeSet,
  encodeChangeSet,
  joinChanges,
  readChangeSet,
} from '../../../src/adapters/lmdb/change-set-codec.ts';
import { arbitraryChangeSet } from './arbitrary-changes.ts';
import { farmNamed } from './fixed-rows.ts';

const setOf = (...changes: Change[]): ChangeSet => ({ version: 1, shard: 3, sequence: 7, changes });

test('a change set round-trips through the encoding', async () => {
  fc.assert(
    fc.property(arbitraryChangeSet, (set) => {
      assert.deepEqual(decodeChangeSet(encodeChangeSet(set)), set);
    }),
  );
});

test('encoded changes are joined to the set that they were read from', async () => {
  fc.assert(
    fc.property(arbitraryChangeSet, (set) => {
      const { shard, sequence, changes, encoded } = readChangeSet(encodeChangeSet(set));
      assert.deepEqual(joinChanges(shard, sequence, changes).encoded, encoded);
    }),
  );
});

test('a change set larger than the scratch buffer is encoded completely, and so is the next one', async (t) => {
  const large = setOf(
    put('taskPage', 'page', new Uint8Array(9_000_000).fill(7)),
    put('farm', 'f', farmNamed('after')),
  );
  assert.deepEqual(decodeChangeSet(encodeChangeSet(large)), large);
  const small = setOf(put('farm', 'f', farmNamed('small')));
  t.strictSame(decodeChangeSet(encodeChangeSet(small)), small);
});

test('keys and values that are read without decoding are views of the buffer', async (t) => {
  const encoded = encodeChangeSet(
    setOf(put('taskPage', 'k', Uint8Array.of(1, 2, 3)), remove('farm', 'gone')),
  );
  const read = readChangeSet(encoded);
  t.equal(read.shard, 3);
  t.equal(read.sequence, 7);
  t.strictSame(
    read.changes.map(({ op, table, key, value }) => [op, table, Buffer.from(key).toString(), [...value]]),
    [
      ['put', 'taskPage', 'k', [1, 2, 3]],
      ['remove', 'farm', 'gone', []],
    ],
  );
  t.equal(read.changes[0]?.value.buffer, encoded);
});

test('a change set that cannot be stored is rejected before it is sent', async (t) => {
  const refusal = (set: ChangeSet): unknown => {
    try {
      return encodeChangeSet(set);
    } catch (error) {
      return String(error);
    }
  };
  t.equal(
    refusal(setOf(remove('farm', ''))),
    'ChangeSetFormatError: remove in farm: a key of 0 bytes (1 to 1978 are allowed)',
  );
  t.equal(
    refusal(setOf({ op: 'removePrefix', table: 'job', prefix: '' })),
    'ChangeSetFormatError: removePrefix in job: a key of 0 bytes (1 to 1978 are allowed)',
  );
  t.equal(
    refusal(setOf(put('farm', '\u00e9'.repeat(990), farmNamed('long')))),
    'ChangeSetFormatError: put in farm: a key of 1980 bytes (1 to 1978 are allowed)',
  );
  t.equal(
    refusal({ ...setOf(), shard: 65536 }),
    'ChangeSetFormatError: shard 65536 is not a number from 0 to 65535',
  );
  t.ok(
    refusal(setOf(remove('farm', 'x'.repeat(1978)))) instanceof ArrayBuffer,
    'a key of maximum length is accepted',
  );
});

test('an invalid change set is rejected', async (t) => {
  const whole = Buffer.from(encodeChangeSet(setOf(put('farm', 'f', farmNamed('one')), remove('job', 'j'))));
  const bytesOf = (buffer: Uint8Array): ArrayBuffer => Uint8Array.from(buffer).buffer;
  const changed = (at: number, value: number): ArrayBuffer => {
    const copy = Buffer.from(whole);
    copy[at] = value;
    return bytesOf(copy);
  };
  const refusal = (encoded: ArrayBuffer): string => {
    try {
      return JSON.stringify(readChangeSet(encoded));
    } catch (error) {
      return String(error);
    }
  };
  t.equal(refusal(new ArrayBuffer(3)), 'ChangeSetFormatError: 3 bytes are not a change set');
  t.equal(refusal(changed(0, 2)), 'ChangeSetFormatError: a change set of version 2, not 1');
  t.equal(refusal(changed(16, 9)), 'ChangeSetFormatError: change 1 of 2 names an unknown operation or table');
  t.equal(
    refusal(changed(17, 99)),
    'ChangeSetFormatError: change 1 of 2 names an unknown operation or table',
  );
  t.equal(refusal(bytesOf(whole.subarray(0, -1))), 'ChangeSetFormatError: cut off in change 2 of 2');
  t.equal(
    refusal(bytesOf(Buffer.concat([whole, Uint8Array.of(1)]))),
    'ChangeSetFormatError: 1 bytes follow the last change',
  );
  fc.assert(
    fc.property(fc.nat(whole.length - 1), (length) => {
      assert.throws(() => readChangeSet(bytesOf(whole.subarray(0, length))), {
        name: 'ChangeSetFormatError',
      });
    }),
  );
});

test('long keys of several bytes per character fit at the end of the scratch buffer', async (t) => {
  // The buffer doubles: its end is in one of these sets within the last key.
  const key = 'ü'.repeat(200);
  const last = remove('farm', key);
  for (let bytes = 60_000; bytes < 140_000; bytes += 150) {
    const set = setOf(put('taskPage', 'k', new Uint8Array(bytes)), last);
    const [, read] = readChangeSet(encodeChangeSet(set)).changes;
    if (Buffer.from(read?.key ?? []).toString() === key) continue;
    t.fail(`the key after ${bytes} bytes is cut off`);
    return;
  }
  t.pass('all keys are complete');
});
