import { test, type Test } from 'tap';
import type { LeaseReply } from '../../../../src/core/wire/bus-messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const ROOTS = [
  { place: 'default', root: '/mnt/projects' },
  { place: 'berlin', root: 's3://bucket/projects' },
];
const AT_BERLIN = {
  compute_location: 'berlin',
  locations: [{ root: 's3://bucket/projects', sources: [{ format: 'POSIX', path: '/mnt/projects' }] }],
};

/** The path map in the last lease reply of the worker. */
function pathMapOf(t: Test, farm: TestFarm, worker: string): unknown {
  // A lease request is answered with a LeaseReply, as declared by its message type.
  const reply = farm.answer(`lease ${worker}`) as LeaseReply | undefined;
  t.equal(reply?.type, 'leases');
  return reply?.type === 'leases' ? reply.path_map : undefined;
}

function leaseOne(t: Test, farm: TestFarm, worker: string, job: string): unknown {
  farm.submit(job, [{ name: 's', tasks: 1 }]);
  farm.lease(worker);
  farm.report(`${job}/0/0`, 'succeeded');
  return pathMapOf(t, farm, worker);
}

test("a lease contains the path map of the worker's compute location", (t) => {
  const farm = new TestFarm();
  farm.register('w1', { compute_location: 'berlin' });
  farm.register('w2');
  t.equal(leaseOne(t, farm, 'w1', 'A'), undefined, 'no storage, no path map');
  farm.createStorage('projects', { roots: ROOTS });
  t.strictSame(leaseOne(t, farm, 'w1', 'B'), AT_BERLIN);
  t.strictSame(leaseOne(t, farm, 'w2', 'C'), {
    compute_location: '',
    locations: [{ root: '/mnt/projects', sources: [{ format: 'URI', path: 's3://bucket/projects' }] }],
  });
  farm.restart();
  farm.register('w1', { compute_location: 'berlin' });
  t.strictSame(leaseOne(t, farm, 'w1', 'D'), AT_BERLIN, 'also after a restart');
  farm.replaceStorage('projects', { roots: [{ place: 'default', root: '/p' }] });
  t.strictSame(
    leaseOne(t, farm, 'w1', 'E'),
    { compute_location: 'berlin', locations: [{ root: '/p', sources: [] }] },
    'a change applies to later leases',
  );
  farm.deleteStorage('projects');
  t.equal(leaseOne(t, farm, 'w1', 'F'), undefined);
  t.end();
});
