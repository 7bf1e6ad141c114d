import { test } from 'tap';
import { FarmDoubts, mostDoubted, NO_DOUBTS } from '../../../src/core/lease/worker-doubts.ts';
import { jobId, workerId } from '../../../src/core/ids.ts';
import type { Doubt } from '../../../src/core/records/worker-evidence.ts';

const SUSPECTED: Doubt = { kind: 'suspected', since: 1, reason: 'why' };
const QUARANTINED: Doubt = { kind: 'quarantined', since: 1, reason: 'why' };
const STEP = { jobId: jobId('a'), stepOrder: 0 };
const [one, two, three] = [workerId('w1'), workerId('w2'), workerId('w3')];

test('workers are kept from their steps, and suspects from all steps', (t) => {
  const doubts = new FarmDoubts();
  t.same(doubts.against(STEP, 10), []);
  doubts.set(one, { whole: null, steps: [{ ...STEP, ...QUARANTINED }] });
  doubts.set(two, { whole: SUSPECTED, steps: [] });
  t.same(doubts.against(STEP, 10), [one, two]);
  t.same(doubts.against({ ...STEP, stepOrder: 1 }, 10), [two]);
  t.match(doubts.about(STEP.jobId, 0, 10), [
    { workerId: one, kind: 'quarantined', isWhole: false },
    { workerId: two, kind: 'suspected', isWhole: true },
  ]);
  doubts.set(one, NO_DOUBTS);
  doubts.set(two, NO_DOUBTS);
  t.equal(doubts.size, 0);
  t.same(doubts.against(STEP, 10), []);
  t.end();
});

test('suspects are kept from nothing if they are more than a tenth of the online workers', (t) => {
  const doubts = new FarmDoubts();
  doubts.set(one, { whole: SUSPECTED, steps: [] });
  t.same(doubts.against(STEP, 2), [one], 'one may always be suspected');
  doubts.set(two, { whole: SUSPECTED, steps: [] });
  t.same(doubts.against(STEP, 19), []);
  t.same(doubts.about(STEP.jobId, 0, 19), []);
  t.same(doubts.against(STEP, 20), [one, two]);
  t.same([1, 9, 20, 200].map(mostDoubted), [1, 1, 2, 20]);
  t.end();
});

test('a quarantine as a whole is not a suspicion', (t) => {
  const doubts = new FarmDoubts();
  doubts.set(three, { whole: QUARANTINED, steps: [] });
  t.ok(doubts.isQuarantined(three));
  t.notOk(doubts.isQuarantined(one));
  t.same(doubts.suspects(), []);
  t.same(doubts.against(STEP, 10), [], 'it is not online for tasks at all');
  t.match(doubts.about(STEP.jobId, 0, 10), [{ workerId: three, isWhole: true }]);
  t.end();
});
