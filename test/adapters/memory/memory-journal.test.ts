import { test } from 'tap';
import { MemoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { workerId, type AttemptId, type TaskId } from '../../../src/core/ids.ts';
import type { JournalChange } from '../../../src/core/ports/agent-journal.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';

const report = (attempt: string): StatusMessage => ({
  v: 1,
  task_id: 'task' as TaskId,
  attempt_id: attempt as AttemptId,
  worker_id: workerId('w1'),
  status: 'succeeded',
  timestamp: '2026-11-20T11:00:00.000Z',
  session_id: 's1',
});

test('reports are kept until they are confirmed, and the worker has its last stored ID', async (t) => {
  const journal = new MemoryJournal(workerId('w1'));
  const append = (...changes: readonly JournalChange[]): Promise<void> =>
    new Promise((resolve) => {
      let isWithin = true;
      journal.append(changes, () => {
        t.notOk(isWithin, 'the callback runs after the call');
        resolve();
      });
      isWithin = false;
    });
  await append({ op: 'report-kept', report: report('a') }, { op: 'report-kept', report: report('b') });
  await append({ op: 'report-confirmed', attemptId: 'a' as AttemptId });
  await append({ op: 'worker-identified', workerId: workerId('w2') });
  t.strictSame(journal.reports, [report('b')]);
  t.equal(journal.workerId, 'w2');
});
