import fc from 'fast-check';
import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { PendingLeases, type PendingLease } from '../../../../actors/service/lease/pending-leases.ts';
import { workerId } from '../../../../src/core/ids.ts';

const lease = (name: string): PendingLease => ({
  request: { workerId: workerId('w'), queueId: null, replyTo: replyTo(name), until: 0 },
  outstanding: [],
  assignments: [],
  steps: [],
});

test('leases are found by rising numbers until they end, in any order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(5), { nil: null })), (steps) => {
      const leases = new PendingLeases();
      const model = new Map<number, PendingLease>();
      let last = 0;
      for (const ended of steps) {
        if (ended === null) {
          const begun = lease(`after ${last}`);
          const number = leases.begin(begun);
          t.ok(number > last, 'numbers increase');
          last = number;
          model.set(number, begun);
        } else {
          const number = [...model.keys()][ended];
          if (number === undefined) continue;
          leases.end(number);
          model.delete(number);
          t.equal(leases.get(number), undefined);
        }
        t.strictSame([...leases], [...model]);
        t.equal(leases.size, model.size);
        for (const [number, open] of model) t.equal(leases.get(number), open);
      }
      t.equal(leases.get(last + 1), undefined);
      t.equal(leases.get(-1), undefined);
    }),
    { numRuns: 200 },
  );
  t.end();
});
