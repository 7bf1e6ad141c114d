import { test } from 'tap';
import { CurrentReads } from '../../../src/adapters/cluster/current-reads.ts';
import { SharedStanding, standingMemory, steadyMs } from '../../../src/adapters/cluster/standing.ts';

const MINUTE_MS = 60_000;

/** Returns the reads of an owner with a lease. */
function ownerReads(): { readonly standing: SharedStanding; readonly reads: CurrentReads } {
  const standing = new SharedStanding(standingMemory());
  standing.setState('owner', 3);
  standing.setLease(steadyMs() + MINUTE_MS);
  return { standing, reads: new CurrentReads(standing, () => Promise.resolve(null)) };
}

test('an owner without records in flight is current', (t) => {
  const { standing, reads } = ownerReads();
  standing.setAppended(7);
  standing.setApplied(7);
  t.equal(reads.untilCurrent(), null);
  t.end();
});

test('an owner waits for its own records: a follower may show them before their acknowledgement arrives', async (t) => {
  const { standing, reads } = ownerReads();
  standing.setApplied(7);
  standing.setAppended(9);
  const order: string[] = [];
  const read = reads.untilCurrent()?.then((isCurrent) => order.push(`read ${isCurrent}`));
  t.ok(read !== undefined);
  standing.setApplied(8);
  order.push('one record');
  standing.setApplied(9);
  order.push('all records');
  await read;
  t.same(order, ['one record', 'all records', 'read true']);
});

test('an owner whose records get no acknowledgement marks its reads as stale', async (t) => {
  // A wait for shared memory does not keep the process running.
  const running = setInterval(() => undefined, 1000);
  t.teardown(() => clearInterval(running));
  const { standing, reads } = ownerReads();
  standing.setApplied(7);
  standing.setAppended(8);
  t.equal(await reads.untilCurrent(), false);
});
