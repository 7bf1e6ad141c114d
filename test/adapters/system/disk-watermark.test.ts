import { test } from 'tap';
import { freeBytes, nextDiskState } from '../../../src/adapters/system/disk-watermark.ts';

const MARKS = { lowBytes: 100, okBytes: 150 };

test('the disk is low below the low mark, and ok again from the upper mark on', async (t) => {
  const states = [99, 100, 149, 150].map((free) => [
    free,
    nextDiskState('ok', free, MARKS),
    nextDiskState('low', free, MARKS),
  ]);
  t.strictSame(states, [
    [99, 'low', 'low'],
    [100, 'ok', 'low'],
    [149, 'ok', 'low'],
    [150, 'ok', 'ok'],
  ]);
});

test('returns the free bytes of a directory, and fails for a missing one', async (t) => {
  t.ok(freeBytes(t.testdir()) > 0);
  t.throws(() => freeBytes('/nowhere/at/all'), { code: 'ENOENT' });
});
