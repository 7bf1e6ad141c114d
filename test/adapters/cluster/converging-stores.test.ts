import fc from 'fast-check';
import tap, { test } from 'tap';
import { clusterFault, LogCluster } from '../../kit/log-cluster.ts';
import { LogMember, ownerOf } from '../../kit/log-members.ts';
import { rounds } from '../../kit/rounds.ts';

tap.setTimeout(300_000);

const skip = (await clusterFault()) ?? false;

const row = fc.tuple(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.option(fc.uint8Array({ maxLength: 64, size: 'max' }), { nil: null }),
);
/** Entries of some rows, and restarts of the follower in between. */
const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.array(row, { minLength: 1, maxLength: 4 }) },
    fc.constant('restart' as const),
  ),
  { minLength: 1, maxLength: 20, size: 'max' },
);

test('a follower has the rows of the owner, wherever it was restarted', { skip }, async (t) => {
  const cluster = await LogCluster.start();
  const owner = await LogMember.open('owner', cluster.servers());
  let follower: LogMember | null = null;
  t.teardown(async () => {
    await Promise.all([owner.close(), follower?.close()]);
    await cluster.stop();
  });
  await ownerOf([owner]);
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      let last = 0;
      for (const step of list) {
        if (step === 'restart' || follower === null) {
          await follower?.close();
          follower = await LogMember.open('follower', cluster.servers(), follower?.stored);
        }
        if (step !== 'restart') last = owner.write(Object.fromEntries(step));
      }
      await owner.until('all entries are accepted', () => last === 0 || owner.accepted.includes(last));
      const { position } = owner;
      const reader = follower;
      await reader?.until('it has all records', () => reader.position >= position);
      return reader?.fold === owner.fold;
    }),
    { numRuns: rounds(15, 200) },
  );
});
