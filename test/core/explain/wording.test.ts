import { test } from 'tap';
import {
  briefText,
  clockText,
  pluralize,
  durationText,
  joinAtMost,
  listText,
  numberText,
  sentenceOf,
} from '../../../src/core/explain/wording.ts';

const NOW = Date.UTC(2026, 10, 20, 10);

test('formats numbers with their nouns', (t) => {
  t.same([0, 1, 999, 1000, 1234567, 1.5, 0.12345].map(numberText), [
    '0',
    '1',
    '999',
    '1,000',
    '1,234,567',
    '1.5',
    '0.123',
  ]);
  t.same(
    [0, 1, 2, 5000].map((count) => pluralize(count, 'task')),
    ['0 tasks', '1 task', '2 tasks', '5,000 tasks'],
  );
  t.equal(pluralize(2, 'entry', 'entries'), '2 entries');
  t.end();
});

test('formats durations in two units', (t) => {
  const cases: readonly [number, string][] = [
    [-5, '1 s'],
    [0, '1 s'],
    [1499, '1 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [61_000, '1 min 1 s'],
    [720_000, '12 min'],
    [3_600_000, '1 h'],
    [12_000_000, '3 h 20 min'],
    [86_400_000, '1 d'],
    [187_200_000, '2 d 4 h'],
    [1000 * 86_400_000, '1,000 d'],
  ];
  for (const [milliseconds, text] of cases) t.equal(durationText(milliseconds), text);
  t.end();
});

test('formats a time of day, with its date if it is not near', (t) => {
  t.equal(clockText(NOW + 42_000, NOW), '10:00:42 UTC');
  t.equal(clockText(NOW - 86_399_999, NOW), '10:00:00 UTC');
  t.equal(clockText(NOW + 86_400_000, NOW), '2026-11-21 10:00:00 UTC');
  t.end();
});

test('lists', (t) => {
  t.same(
    [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((items) => listText(items)),
    ['', 'a', 'a and b', 'a, b and c'],
  );
  t.equal(listText(['a', 'b'], 'or'), 'a or b');
  t.equal(joinAtMost(['a', 'b'], 2), 'a and b');
  t.equal(joinAtMost(['a', 'b', 'c', 'd'], 2), 'a, b and 2 more');
  t.end();
});

test('formats texts of users within sentences', (t) => {
  t.equal(briefText(' \none \t two \n  of an expression\n  ~~^~'), 'one two');
  t.equal(briefText('x'.repeat(200)), 'x'.repeat(200));
  t.equal(briefText('x'.repeat(201)), `${'x'.repeat(199)}…`);
  t.same(['it waits', 'Why?', 'done.', 'cut…', ''].map(sentenceOf), [
    'It waits.',
    'Why?',
    'Done.',
    'Cut…',
    '.',
  ]);
  t.end();
});
