import fc from 'fast-check';
import { test } from 'tap';
import { formatDuration, parseDuration } from '../../../src/core/duration.ts';

test('durations are parsed as milliseconds', async (t) => {
  const cases: [string, number | null][] = [
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['168h', 604_800_000],
    ['0', 0],
    ['0s', 0],
    ['30', null],
    ['', null],
    ['1.5s', null],
    ['-1s', null],
    ['1 s', null],
    ['1d', null],
    ['999999999999h', null],
    ['30S', null],
    ['30s ago', null],
    ['x30s', null],
  ];
  for (const [text, ms] of cases) t.equal(parseDuration(text), ms, JSON.stringify(text));
});

test('a formatted duration round-trips', async (t) => {
  t.equal(formatDuration(300_000), '5m');
  t.equal(formatDuration(1_500), '1500ms');
  t.equal(formatDuration(0), '0ms');
  fc.assert(fc.property(fc.nat(), (ms) => parseDuration(formatDuration(ms)) === ms));
});
