import { test } from 'tap';
import { agoText, durationText } from '../../../web/parts/time-text.ts';

test('formats durations in two units', (t) => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, '0 s'],
    [0, '0 s'],
    [350, '0.3 s'],
    [9_950, '9.9 s'],
    [45_000, '45 s'],
    [59_999, '59 s'],
    [60_000, '1 m 00 s'],
    [3_599_999, '59 m 59 s'],
    [3_600_000, '1 h 00 m'],
    [86_399_999, '23 h 59 m'],
    [90_000_000, '1 d 1 h'],
  ];
  for (const [ms, text] of cases) t.equal(durationText(ms), text);
  t.end();
});

test('formats relative times in one unit', (t) => {
  const now = 1_000_000_000;
  t.equal(agoText(now, now), 'just now');
  t.equal(agoText(now - 59_000, now), '59 s ago');
  t.equal(agoText(now - 61_000, now), '1 m ago');
  t.equal(agoText(now - 7_200_000, now), '2 h ago');
  t.equal(agoText(now - 200_000_000, now), '2 d ago');
  t.equal(agoText(now + 20_500, now), 'in 20 s');
  t.end();
});
