import fc from 'fast-check';
import { test } from 'tap';
import { FollowedJobs, followedMemory } from '../../../src/adapters/system/followed-jobs.ts';
import { Uuid7 } from '../../../src/adapters/system/uuid7.ts';
import { jobId } from '../../../src/core/ids.ts';

const JOB = jobId('01890a5d-ac96-774b-bcce-b302099a8057');
const OTHER = jobId('01890a5d-ac96-774b-bcce-b302099a8058');

test('a job is followed until its last follower has left', (t) => {
  const memory = followedMemory();
  const front = new FollowedJobs(memory);
  const shard = new FollowedJobs(memory);
  const seen = (): readonly boolean[] => [JOB, OTHER].map((job) => shard.mayBeFollowed(job));
  t.strictSame(seen(), [false, false]);
  const [leave, leaveToo] = [front.follow(JOB), front.follow(JOB)];
  t.strictSame(seen(), [true, false]);
  const leaveOther = front.follow(OTHER);
  leave();
  leave();
  t.strictSame(seen(), [true, true], 'a follower that leaves twice counts once');
  leaveToo();
  t.strictSame(seen(), [false, true]);
  leaveOther();
  t.strictSame(seen(), [false, false]);
  t.end();
});

test('repeated queries for one job return current answers', (t) => {
  const followed = new FollowedJobs(followedMemory());
  t.equal(followed.mayBeFollowed(JOB), false);
  const leave = followed.follow(JOB);
  t.equal(followed.mayBeFollowed(JOB), true);
  leave();
  t.equal(followed.mayBeFollowed(JOB), false);
  t.end();
});

test('a followed job is never reported as not followed, whatever its ID', (t) => {
  const id = fc.oneof(fc.uuid(), fc.string({ unit: 'binary', maxLength: 8 })).map(jobId);
  fc.assert(
    fc.property(fc.array(id, { maxLength: 50, size: 'max' }), fc.array(fc.nat(49)), (jobs, left) => {
      const followed = new FollowedJobs(followedMemory());
      const leaves = new Map(jobs.map((job, at) => [at, followed.follow(job)]));
      for (const at of left) {
        leaves.get(at)?.();
        leaves.delete(at);
      }
      for (const [at] of leaves) t.ok(followed.mayBeFollowed(jobs[at] ?? JOB));
      for (const leave of leaves.values()) leave();
      t.notOk(jobs.some((job) => followed.mayBeFollowed(job)));
    }),
  );
  t.end();
});

test('jobs with consecutive IDs rarely share a counter', (t) => {
  const ids = new Uuid7(() => 1_795_276_800_000);
  const followed = new FollowedJobs(followedMemory());
  for (let job = 0; job < 500; job++) followed.follow(jobId(ids.next()));
  const taken = Array.from({ length: 2000 }, () => jobId(ids.next())).filter((job) =>
    followed.mayBeFollowed(job),
  );
  t.ok(taken.length < 200, `${taken.length} of 2000 share one; 500 of 65536 are expected`);
  t.end();
});
