import { test } from 'tap';
import {
  changedPreemption,
  preemptionReason,
  preemptionSentence,
  preemptionVersionOf,
  type PreemptionSetting,
} from '../../../src/core/records/preemption.ts';
import { jobId, queueId } from '../../../src/core/ids.ts';

test('the version of a setting rises with each change, and only then', (t) => {
  t.same(changedPreemption({}, null), {}, 'a queue that never had one');
  const first = changedPreemption({ preemptAfterSeconds: 300 }, null);
  t.same(first, { preemptAfterSeconds: 300, preemptionVersion: 1 });
  t.same(changedPreemption({}, first), first, 'absent keeps it');
  t.same(changedPreemption({ preemptAfterSeconds: 300, preemptible: false }, first), first, 'equal');
  const second = changedPreemption({ preemptible: true }, first);
  t.same(second, { preemptAfterSeconds: 300, preemptible: true, preemptionVersion: 2 });
  const off = changedPreemption({ preemptAfterSeconds: null, preemptible: false }, second);
  t.same(off, { preemptionVersion: 3 }, 'it is not lost when the queue turns both off');
  t.same(changedPreemption({ preemptAfterSeconds: null }, off), off);
  t.end();
});

test('a setting of a release without versions counts as the first one', (t) => {
  const stored: PreemptionSetting = { preemptAfterSeconds: 300 };
  t.equal(preemptionVersionOf(stored), 1);
  t.equal(preemptionVersionOf({ preemptible: true }), 1);
  t.equal(preemptionVersionOf({}), 0);
  t.match(changedPreemption({ preemptAfterSeconds: 60 }, stored), { preemptionVersion: 2 });
  t.end();
});

test('a decision names its version, unless a release without versions has made it', (t) => {
  const decision = {
    jobId: jobId('j'),
    stepOrder: 0,
    queueId: queueId('q'),
    queue: 'urgent',
    waitedMs: 300_000,
    afterSeconds: 240,
  };
  const why = 'taken back for queue urgent, of which a task had waited 5 min';
  t.equal(preemptionReason(decision), why);
  t.equal(preemptionReason({ ...decision, policyVersion: 3 }), `${why} (preemption setting 3)`);
  const consequence = 'the task runs again from its beginning, without using up an attempt.';
  t.equal(
    preemptionSentence(decision),
    `Taken back for queue urgent, of which a task had waited 5 min (it may take back tasks after 4 min): ${consequence}`,
  );
  t.equal(
    preemptionSentence({ ...decision, policyVersion: 3 }),
    `Taken back for queue urgent, of which a task had waited 5 min (it may take back tasks after 4 min, preemption setting 3): ${consequence}`,
  );
  t.end();
});
