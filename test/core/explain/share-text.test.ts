import { test } from 'tap';
import { explainTask } from '../../../src/core/explain/explain-task.ts';
import { reasonText, shareText } from '../../../src/core/explain/share-text.ts';
import { visibleLease } from '../../../src/core/explain/visible-facts.ts';
import type { ShareExplanation } from '../../../src/core/lease/explanation.ts';
import { leaseExplanation, taskFacts } from '../../kit/explain-parts.ts';

const NAMES = { job: (id: string) => `Shot ${id}`, queue: (id: string) => `the ${id}` };

const WEIGHTED: ShareExplanation = {
  kind: 'weighted',
  sharedBy: 'owner',
  sharer: 'ana',
  cores: 24,
  ratio: 1.8,
  ahead: [{ sharer: 'tomas', jobs: 2, tasks: 12 }],
  version: 3,
};

test('the standing of a sharer and who comes first', (t) => {
  const texts: readonly [Partial<ShareExplanation>, string][] = [
    [{}, 'owner ana has used 1.8 times a fair share; 2 jobs of owner tomas come first'],
    [{ ratio: null, ahead: [] }, 'owner ana has used nothing yet'],
    [{ ratio: 0.004, ahead: [] }, 'owner ana has used less than 0.01 times a fair share'],
    [
      { kind: 'balanced', ratio: 0.55 },
      'owner ana has 24 cores in use, 0.55 times an equal share; 2 jobs of owner tomas come first',
    ],
    [
      {
        sharedBy: 'project',
        sharer: '',
        ahead: [
          { sharer: 'film', jobs: 1, tasks: 1 },
          { sharer: 'spot', jobs: 3, tasks: 9 },
        ],
      },
      'jobs without a project have used 1.8 times a fair share; 1 job of project film and 3 jobs of project spot come first',
    ],
    [
      {
        kind: 'balanced',
        sharedBy: 'job',
        sharer: '10',
        cores: 1,
        ratio: 1,
        ahead: [{ sharer: '20', jobs: 1, tasks: 4 }],
      },
      'job Shot 10 has 1 core in use, 1 times an equal share; job Shot 20 comes first',
    ],
    [
      { sharedBy: 'queue', sharer: 'day', ahead: [{ sharer: 'night', jobs: 1, tasks: 4 }] },
      'queue the day has used 1.8 times a fair share; 1 job of queue the night comes first',
    ],
    [{ cores: null, ratio: null, ahead: [] }, 'the farm is shared by owner'],
  ];
  for (const [change, text] of texts) t.equal(shareText({ ...WEIGHTED, ...change }, NAMES), text);
  t.end();
});

test('the reason of an assigned task', (t) => {
  const reason = { version: 3, sharedBy: 'owner', sharer: 'ana', cores: 8 } as const;
  t.equal(
    reasonText({ ...reason, kind: 'balanced' }, NAMES),
    'owner ana came first with 8 cores in use (queue policy 3)',
  );
  t.equal(
    reasonText({ ...reason, kind: 'weighted', usage: 1234.6 }, NAMES),
    'owner ana came first with 1,235 core seconds by its weight (queue policy 3)',
  );
  t.end();
});

test('the explanation of a task has the standing in its order gate, its summary and on its own', (t) => {
  const lease = { ...leaseExplanation({ before: { tasks: 12, jobs: 2 } }), share: WEIGHTED };
  const { gates, share, summary } = explainTask(taskFacts({ lease }));
  const text = 'owner ana has used 1.8 times a fair share; 2 jobs of owner tomas come first';
  t.match(gates.at(-1), { gate: 'order', sentence: `12 tasks and 2 other jobs are ahead of it: ${text}.` });
  t.match(share, { sentence: `Owner ${text.slice('owner '.length)}.`, sharer: 'ana', version: 3 });
  t.ok(summary.includes(text), summary);
  const next = explainTask(
    taskFacts({ lease: { ...leaseExplanation({}), share: { ...WEIGHTED, ahead: [] } } }),
  );
  t.notOk(next.gates.some(({ gate }) => gate === 'order'));
  t.equal(next.share?.sentence, 'Owner ana has used 1.8 times a fair share.');
  t.end();
});

test('users who see only their own jobs do not see what others use', (t) => {
  const seen = (share: ShareExplanation) =>
    visibleLease({ ...leaseExplanation({}), share }, () => false).share;
  t.match(seen(WEIGHTED), { cores: 24, ratio: 1.8, ahead: [] });
  t.match(seen({ ...WEIGHTED, sharedBy: 'project' }), { cores: null, ratio: null, ahead: [] });
  t.end();
});
