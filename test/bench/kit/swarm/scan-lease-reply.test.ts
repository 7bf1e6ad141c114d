import fc from 'fast-check';
import { test } from 'tap';
import { ScannedReply, scanLeaseReply } from '../../../../bench/kit/swarm/scan-lease-reply.ts';

const MOST = 8;

interface Found {
  readonly isReply: boolean;
  readonly isUnknown: boolean;
  readonly assigned: readonly string[];
  readonly confirmed: readonly string[];
}

/** Scans text inside a larger buffer, with a reused result. */
function scan(text: string, found: ScannedReply): Found {
  const before = 'MSG "type":"unknown",{[';
  const data = Buffer.from(`${before}${text}"confirmed":["x"]`);
  const start = before.length;
  scanLeaseReply(data, start, start + Buffer.byteLength(text), found);
  const texts = (places: Int32Array, count: number): string[] =>
    Array.from({ length: count }, (_unused, index) =>
      data.toString('utf8', places[2 * index], places[2 * index + 1]),
    );
  return {
    isReply: found.isReply,
    isUnknown: found.isUnknown,
    assigned: texts(found.assignedAt, found.assigned),
    confirmed: texts(found.confirmedAt, found.confirmed),
  };
}

const attempt = fc
  .tuple(fc.uuid(), fc.nat(9), fc.nat(999_999), fc.integer({ min: 1, max: 9 }))
  .map(([job, step, index, number]) => `${job}-${step}-${index}-${number}`);

/** Texts that are similar to what the scanner searches for. */
const decoy = fc.constantFrom(
  'type',
  'assignments',
  'confirmed',
  'attempt_id',
  '"attempt_id":"x"',
  '\\"',
  '{[',
  'é\u2028',
);
const text = fc.oneof(decoy, fc.string(), fc.string({ unit: 'binary' }));
const anything = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' });
const hostile = fc.dictionary(text, fc.oneof(anything, text, fc.array(text)), { maxKeys: 4 });

const reply = fc.record(
  {
    v: fc.constant(1),
    type: fc.constant('leases'),
    assignments: fc.array(
      fc
        .tuple(fc.dictionary(text, fc.oneof(text, hostile), { maxKeys: 3 }), attempt, hostile)
        .map(([before, id, parameters]) => ({ ...before, attempt_id: id, cores: 1, parameters })),
      { maxLength: MOST, size: 'max' },
    ),
    steps: hostile,
    path_map: hostile,
    confirmed: fc.array(attempt, { maxLength: MOST, size: 'max' }),
  },
  { requiredKeys: ['v', 'type', 'assignments', 'steps'] },
);

test('finds in every reply what JSON.parse finds', async () => {
  const found = new ScannedReply(MOST);
  fc.assert(
    fc.property(reply, fc.boolean(), (made, isReversed) => {
      const entries = Object.entries(made);
      const json = JSON.stringify(Object.fromEntries(isReversed ? entries.reverse() : entries));
      const parsed = JSON.parse(json) as {
        readonly assignments: readonly { readonly attempt_id: string }[];
        readonly confirmed?: readonly string[];
      };
      const expected: Found = {
        isReply: true,
        isUnknown: false,
        assigned: parsed.assignments.map((each) => each.attempt_id),
        confirmed: parsed.confirmed ?? [],
      };
      const seen = scan(json, found);
      return JSON.stringify(seen) === JSON.stringify(expected);
    }),
    { numRuns: 500 },
  );
});

test('distinguishes an unknown worker from a missing responder', async (t) => {
  const found = new ScannedReply(MOST);
  t.same(scan('{"v":1,"type":"unknown"}', found), {
    isReply: true,
    isUnknown: true,
    assigned: [],
    confirmed: [],
  });
  t.same(scan('', found), { isReply: false, isUnknown: false, assigned: [], confirmed: [] });
  t.same(scan('{"v":1', found), { isReply: false, isUnknown: false, assigned: [], confirmed: [] });
});

test('rejects a reply with more attempts than the maximum', async (t) => {
  const confirmed = Array.from({ length: MOST + 1 }, (_unused, index) => `a-${index}`);
  t.throws(
    () => scan(JSON.stringify({ type: 'leases', confirmed }), new ScannedReply(MOST)),
    /more than 8 attempts/,
  );
});
