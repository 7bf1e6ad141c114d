import { test } from 'tap';
import { note, NOTE_LIMITS } from '../../../src/core/diagnostics/record.ts';
import { attemptIdOf, jobId, taskIdOf } from '../../../src/core/ids.ts';

const task = { jobId: jobId('0190f3c2-0000-7222-8333-444455556666'), stepOrder: 2, index: 7 };
const taskId = taskIdOf(task);
const attemptId = attemptIdOf({ ...task, attemptNumber: 3 });

test('IDs that another ID implies are added', (t) => {
  t.strictSame(note('WARN', 'said', { attempt_id: attemptId, reason: 'why' }), {
    level: 'WARN',
    msg: 'said',
    attrs: { task_id: taskId, job_id: task.jobId, attempt_id: attemptId, reason: 'why' },
  });
  t.strictSame(note('INFO', '', { task_id: taskId }).attrs, { job_id: task.jobId, task_id: taskId });
  t.strictSame(note('INFO', '', { attempt_id: attemptId, task_id: 'mine', job_id: '' }).attrs, {
    attempt_id: attemptId,
    task_id: 'mine',
    job_id: '',
  });
  t.strictSame(note('INFO', '', { attempt_id: 'none' }).attrs, { attempt_id: 'none' });
  t.end();
});

test('a record is truncated to the limits', (t) => {
  const attrs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`n${at}`, 'v']));
  t.equal(Object.keys(note('INFO', '', attrs).attrs).length, NOTE_LIMITS.attributes);
  const long = note('INFO', 'm'.repeat(5000), { ['n'.repeat(100)]: 'v'.repeat(3000) });
  t.equal(long.msg, `${'m'.repeat(4093)}...`);
  t.strictSame(long.attrs, { [`${'n'.repeat(61)}...`]: `${'v'.repeat(2045)}...` });
  t.equal(note('INFO', 'm'.repeat(4096), {}).msg.length, 4096);
  t.end();
});
