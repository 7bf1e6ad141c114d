import { test } from 'tap';
import { statusPublish } from '../../../../bench/kit/swarm/status-reports.ts';
import { workerId } from '../../../../src/core/ids.ts';
import { scopedSubjects, subjects } from '../../../../src/core/wire/subjects.ts';
import { parseStatus } from '../../../../src/core/wire/worker-messages.ts';

const JOB = '01a1fdd6-84aa-7000-8454-a083d2ff5d3a';
const WORKER = '01a1fdd6-80ba-7000-ad72-e3ba93d46191';
const worker = { workerId: WORKER, sessionId: 'here', ackInbox: '_INBOX.swarm.ack', subjects };

for (const status of ['running', 'succeeded'] as const) {
  test(`a status ${status} is stored with its message ID, and parsed by the service`, async (t) => {
    const message = statusPublish(`${JOB}-3-12-2`, status, worker);
    const [line = '', version, id, blank, body = '', rest] = message.split('\r\n');
    t.same([version, id, blank, rest], ['NATS/1.0', `Nats-Msg-Id: ${JOB}-3-12-2:${status}`, '', '']);
    const [verb, subject, inbox, headerBytes, bytes] = line.split(' ');
    t.same([verb, subject, inbox], ['HPUB', `task.status.${JOB}`, '_INBOX.swarm.ack']);
    t.equal(Number(bytes) - Number(headerBytes), body.length);
    t.equal(line.length + 2 + Number(bytes) + 2, message.length);
    const parsed = parseStatus(body);
    if (!parsed.ok) {
      t.fail(JSON.stringify(parsed));
      return;
    }
    const { timestamp, ...fields } = parsed.value;
    t.match(timestamp, /^\d{4}-/);
    t.same(fields, {
      v: 1,
      task_id: `${JOB}-3-12`,
      attempt_id: `${JOB}-3-12-2`,
      worker_id: WORKER,
      status,
      session_id: 'here',
      ...(status === 'succeeded' ? { exit_code: 0 } : {}),
    });
  });
}

test('the subject of a report of a worker with a credential names the worker', (t) => {
  const message = statusPublish(`${JOB}-3-12-2`, 'running', {
    ...worker,
    subjects: scopedSubjects(workerId(WORKER)),
  });
  t.equal(message.split(' ')[1], `task.status.${JOB}.${WORKER}`);
  t.end();
});
