import fc from 'fast-check';
import { test } from 'tap';
import { createSortedRows } from '../../../src/adapters/memory/sorted-rows.ts';

const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 });

test('rows are scanned like a plain list, after any changes', (t) => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ op: fc.constant('put' as const), key }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('remove' as const), key }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('removePrefix' as const), key }) },
  );
  const scan = fc.record({
    prefix: fc.constantFrom('', 'a', 'ab', 'c'),
    after: fc.option(key, { nil: undefined }),
    reverse: fc.boolean(),
    limit: fc.option(fc.nat(4), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30, size: 'max' }),
      scan,
      (steps, { prefix, after, reverse, limit }) => {
        const rows = createSortedRows();
        const model = new Map<string, number>();
        for (const [nth, { op, key: at }] of steps.entries()) {
          if (op === 'put') {
            rows.put(at, Uint8Array.of(nth));
            model.set(at, nth);
          } else if (op === 'remove') {
            rows.remove(at);
            model.delete(at);
          } else {
            rows.removePrefix(at);
            for (const each of [...model.keys()]) if (each.startsWith(at)) model.delete(each);
          }
        }
        const wanted = [...model]
          .filter(([each]) => each.startsWith(prefix))
          .filter(([each]) => after === undefined || (reverse ? each < after : each > after))
          .sort(([a], [b]) => (a < b ? -1 : 1) * (reverse ? -1 : 1))
          .slice(0, limit);
        const options = {
          prefix,
          reverse,
          ...(after === undefined ? {} : { after }),
          ...(limit === undefined ? {} : { limit }),
        };
        t.same(
          [...rows.scan(options)].map(([each, value]) => [each, value[0]]),
          wanted,
        );
        for (const at of ['a', 'ab', 'abc']) t.equal(rows.get(at)?.[0], model.get(at));
      },
    ),
    { numRuns: 300 },
  );
  t.end();
});
