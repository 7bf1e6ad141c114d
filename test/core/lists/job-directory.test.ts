import fc from 'fast-check';
import { test } from 'tap';
import { farmId, jobId, queueId } from '../../../src/core/ids.ts';
import { JobDirectory, type JobListQuery, type ListedJob } from '../../../src/core/lists/job-directory.ts';
import { JOB_STATUSES } from '../../../src/core/lifecycle/job-transitions.ts';
import { plainCounts, plainDependents, plainJobs } from '../../kit/plain-lists.ts';

const ids = fc
  .integer({ min: 0, max: 30 })
  .map((number) => jobId(`0198-${String(number).padStart(4, '0')}-aB`));

const rest = {
  farmId: fc.constantFrom('f1', 'f2').map(farmId),
  queueId: fc.constantFrom('q1', 'q2', 'q3').map(queueId),
  name: fc.constantFrom('shot', 'Shot', 'COMP light', 'light', '', 'Ähre', 'ÄHRE'),
  owner: fc.constantFrom('ada', 'Ada', 'grace', 'light'),
  project: fc.constantFrom('film', 'TV', ''),
  priority: fc.integer({ min: -2, max: 2 }),
  status: fc.constantFrom(...JOB_STATUSES),
  createdAt: fc.integer({ min: 0, max: 5 }),
  updatedAt: fc.integer({ min: 0, max: 5 }),
};

/** The dependencies of a job never change: they are derived from the ID. */
const upstreamsOf = (id: string): ListedJob['dependsOn'] => {
  const number = Number(id.slice(5, 9));
  const some = [number - 3, number - 1, number + 2].filter((each) => each >= 0 && number % 3 > 0);
  return some.map((each) => jobId(`0198-${String(each).padStart(4, '0')}-aB`));
};

const job: fc.Arbitrary<ListedJob> = ids.chain((id) =>
  fc.record({ ...rest, id: fc.constant(id), dependsOn: fc.constant(upstreamsOf(id)) }),
);

const step = fc.oneof(
  { weight: 5, arbitrary: job.map((put) => ({ put })) },
  { weight: 2, arbitrary: ids.map((remove) => ({ remove })) },
);

const query: fc.Arbitrary<JobListQuery> = fc.record(
  {
    statuses: fc.uniqueArray(fc.constantFrom(...JOB_STATUSES), { maxLength: 3 }),
    farmId: fc.constantFrom('f1', 'f2', 'none'),
    queueId: fc.constantFrom('q1', 'q3'),
    owner: fc.constantFrom('ada', 'Ada', 'nobody'),
    project: fc.constantFrom('film', ''),
    ownerKey: fc.constantFrom('ada', 'light', 'Ada'),
    words: fc.array(fc.constantFrom('shot', 'light', 'film', 'ä', '0198-000', '-ab', 'none'), {
      maxLength: 3,
    }),
    sortBy: fc.constantFrom('created_at', 'priority', 'status', 'updated_at', 'name'),
    descending: fc.boolean(),
    offset: fc.nat({ max: 30 }),
    limit: fc.integer({ min: 1, max: 40 }),
  },
  { requiredKeys: ['words', 'sortBy', 'descending', 'offset', 'limit'] },
);

void test('every page equals that of a plain list, after any changes', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.array(step, { maxLength: 15, size: 'max' }), fc.array(query, { maxLength: 4 })), {
        maxLength: 12,
        size: 'max',
      }),
      (rounds) => {
        const directory = new JobDirectory();
        const held = new Map<string, ListedJob>();
        for (const [steps, queries] of rounds) {
          for (const each of steps) {
            if ('put' in each) {
              directory.put(each.put);
              held.set(each.put.id, each.put);
            } else {
              directory.remove(each.remove);
              held.delete(each.remove);
            }
          }
          if (directory.size !== held.size) throw new Error(`${directory.size} jobs, not ${held.size}`);
          for (const asked of queries) {
            const found = JSON.stringify(directory.page(asked));
            const expected = JSON.stringify(plainJobs(held.values(), asked));
            if (found !== expected) throw new Error(`${JSON.stringify(asked)}: ${found}, not ${expected}`);
            const counts = JSON.stringify(directory.counts(asked));
            const counted = JSON.stringify(plainCounts(held.values(), asked));
            if (counts !== counted) throw new Error(`${JSON.stringify(asked)}: ${counts}, not ${counted}`);
          }
          for (let number = 0; number < 31; number += 1) {
            const id = jobId(`0198-${String(number).padStart(4, '0')}-aB`);
            const found = directory.dependents(id).join(' ');
            const expected = plainDependents(held.values(), id).join(' ');
            if (found !== expected) throw new Error(`${id}: ${found}, not ${expected}`);
            const own = directory.dependents(id, 'ada').join(' ');
            const ada = [...held.values()].filter(({ owner }) => owner.toLowerCase() === 'ada');
            const plain = plainDependents(ada, id).join(' ');
            if (own !== plain) throw new Error(`${id}: ${own}, not ${plain} of ada`);
          }
        }
      },
    ),
    { numRuns: 300 },
  );
  t.pass('300 histories');
});

void test('a directory that grows and shrinks by thousands equals a plain list', async (t) => {
  const directory = new JobDirectory();
  const held = new Map<string, ListedJob>();
  const jobAt = (number: number, round: number): ListedJob => ({
    id: jobId(`id-${String(number).padStart(6, '0')}`),
    farmId: farmId('f'),
    queueId: queueId(`q${number % 3}`),
    name: `job ${(number * 31 + round) % 97}`,
    owner: `owner ${number}`,
    project: '',
    priority: (number * 7 + round) % 5,
    status: JOB_STATUSES[(number + round) % JOB_STATUSES.length] ?? 'pending',
    createdAt: number % 1000,
    updatedAt: (number * 13 + round) % 777,
    dependsOn: [],
  });
  for (let round = 0; round < 4; round += 1) {
    for (let number = round * 1000; number < 9000 + round * 500; number += 1) {
      const put = jobAt(number, round);
      directory.put(put);
      held.set(put.id, put);
    }
    for (let number = 0; number < 9000; number += 3 + round) {
      const { id } = jobAt(number, 0);
      directory.remove(id);
      held.delete(id);
    }
    for (const sortBy of ['created_at', 'priority', 'status', 'updated_at', 'name'] as const) {
      for (const descending of [false, true]) {
        const asked = { words: ['job'], sortBy, descending, offset: 3000, limit: 500, queueId: 'q1' };
        t.strictSame(
          directory.page({ ...asked, offset: 1000 }),
          plainJobs(held.values(), { ...asked, offset: 1000 }),
          `${sortBy} ${descending} in round ${round}`,
        );
      }
    }
  }
});
