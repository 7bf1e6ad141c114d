import { test } from 'tap';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { causeOf } from '../../../../actors/service/gateway/cause-of.ts';
import { farmId, jobId, workerId, type AttemptId } from '../../../../src/core/ids.ts';

const FARM = farmId('0190b2d8-3c4f-7000-8000-000000000001');
const JOB = jobId('0190b2d8-3c4f-7000-8000-000000000002');
const WORKER = workerId('0190b2d8-3c4f-7000-8000-000000000003');

test('a report names its first attempt and its worker', (t) => {
  const reports = [3, 4].map((task) => ({
    attempt_id: `${JOB}-0-${task}-1` as AttemptId,
    status: 'succeeded' as const,
    timestamp: '2026-11-21T12:00:00.000Z',
    session_id: 's1',
  }));
  t.same(causeOf({ actor: 'job', id: JOB, message: { type: 'tasks.reported', workerId: WORKER, reports } }), {
    kind: 'tasks.reported',
    id: `${JOB}-0-3-1`,
    requestId: '',
    principal: WORKER,
  });
  t.end();
});

test('a request names its id and its account', (t) => {
  const origin = { requestId: 'r-1', principal: 'ann-id' };
  t.same(causeOf({ actor: 'job', id: JOB, message: { type: 'job.cancel', replyTo: replyTo('a') }, origin }), {
    kind: 'job.cancel',
    id: JOB,
    requestId: 'r-1',
    principal: 'ann-id',
  });
  t.end();
});

test('a timer and a message of another shard have no principal', (t) => {
  t.same(causeOf({ actor: 'lease', id: FARM, message: { type: 'capacity.freed', slot: 4 } }), {
    kind: 'capacity.freed',
    id: FARM,
    requestId: '',
    principal: '',
  });
  t.end();
});
