import { test } from 'tap';
import { TrimRule } from '../../../src/core/cluster/trim-rule.ts';

const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;
const small = { first: 1, last: 50_000, bytes: 50_000_000 };

test('records of the last hour are kept', (t) => {
  const rule = new TrimRule(['a'], 0);
  rule.reported('a', 40_000, 0);
  t.equal(rule.firstToKeep(small, 0), null, 'the age of the records is not known');
  rule.reported('a', 90_000, HOUR_MS - 1);
  t.equal(rule.firstToKeep({ ...small, last: 90_000 }, HOUR_MS - 1), null);
  rule.reported('a', 90_000, HOUR_MS);
  t.equal(rule.firstToKeep({ ...small, last: 90_000 }, HOUR_MS), 50_001, 'the end of the log an hour ago');
  t.end();
});

test('records before the last gibibyte are not kept for an hour', (t) => {
  const rule = new TrimRule(['a'], 0);
  rule.reported('a', 50_000, 0);
  t.equal(rule.firstToKeep({ ...small, bytes: 2 * GIB }, 0), 25_001);
  t.equal(rule.firstToKeep({ ...small, bytes: GIB }, 0), null);
  t.end();
});

test('records that a present member has not flushed are kept', (t) => {
  const large = { ...small, bytes: 10 * GIB };
  const rule = new TrimRule(['a', 'silent'], 0);
  t.equal(rule.firstToKeep(large, 0), null, 'a member that has not reported yet');
  rule.reported('a', 50_000, HOUR_MS - 1);
  t.equal(rule.firstToKeep(large, HOUR_MS - 1), null);
  t.equal(rule.firstToKeep(large, HOUR_MS), 50_001, 'it has been silent for an hour');
  rule.reported('b', 20_000, HOUR_MS);
  t.equal(rule.firstToKeep(large, HOUR_MS), 20_001, 'a member of which no list knows');
  t.equal(rule.firstToKeep(large, 2 * HOUR_MS), null, 'no member is present');
  t.end();
});

test('a few records are not worth a trim', (t) => {
  const rule = new TrimRule(['a'], 0);
  rule.reported('a', 1000, 0);
  const large = { ...small, bytes: 100 * GIB };
  t.equal(rule.firstToKeep({ ...large, first: 2 }, 0), null);
  t.equal(rule.firstToKeep({ ...large, first: 1 }, 0), 1001);
  t.end();
});
