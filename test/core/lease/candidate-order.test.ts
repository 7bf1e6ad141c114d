import fc from 'fast-check';
import { test } from 'tap';
import { jobId } from '../../../src/core/ids.ts';
import { compareCandidates, type Candidate } from '../../../src/core/lease/candidate-order.ts';

const candidate: fc.Arbitrary<Candidate> = fc.record({
  priority: fc.integer({ min: -1, max: 1 }),
  jobCreatedAt: fc.nat(2),
  jobId: fc.constantFrom('a', 'b', 'c').map(jobId),
  stepOrder: fc.nat(2),
});

const base: Candidate = { priority: 50, jobCreatedAt: 1000, jobId: jobId('b'), stepOrder: 1 };

test('candidates are ordered field by field', (t) => {
  const first = (one: Partial<Candidate>, other: Partial<Candidate>): number =>
    Math.sign(compareCandidates({ ...base, ...one }, { ...base, ...other }));
  t.equal(first({ priority: 60, jobCreatedAt: 2000, stepOrder: 9 }, {}), -1, 'a higher priority comes first');
  t.equal(first({ jobCreatedAt: 999, stepOrder: 9, jobId: jobId('z') }, {}), -1, 'then the older job');
  t.equal(
    first({ jobId: jobId('a'), stepOrder: 9 }, {}),
    -1,
    'then, in the same millisecond, the smaller ID',
  );
  t.equal(first({ stepOrder: 0 }, {}), -1, 'then the earlier step');
  t.equal(first({}, {}), 0);
  t.end();
});

test('the order is total: antisymmetric and transitive', (t) => {
  fc.assert(
    fc.property(candidate, candidate, candidate, (a, b, c) => {
      const sign = (x: Candidate, y: Candidate): number => Math.sign(compareCandidates(x, y));
      if (sign(a, b) + sign(b, a) !== 0) return false;
      if (sign(a, b) <= 0 && sign(b, c) <= 0 && sign(a, c) > 0) return false;
      return (sign(a, b) === 0) === (JSON.stringify(a) === JSON.stringify(b));
    }),
    { numRuns: 500 },
  );
  t.end();
});
