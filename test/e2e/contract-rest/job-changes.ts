import type { Case } from '../../kit/cases.ts';
import { type RestContext, type Row, UNKNOWN, waitingJob } from './kit.ts';

/** PATCH, cancel and DELETE of a job. */
export const jobChangeCases: readonly Case<RestContext>[] = [
  [
    'PATCH /jobs/{id}: an omitted or null field stays unchanged; 400 for an unknown queue; overrides cannot be cleared',
    async (t, { api, farm, submitted, refused }) => {
      const job = await submitted(waitingJob('patched'), '&max_attempts=4');
      const path = `/api/v1/jobs/${String(job['id'])}`;
      t.strictSame(await api.must('PATCH', path, {}), job);
      const nothing = {
        action: null,
        priority: null,
        queue_id: null,
        max_attempts: null,
        failure_limit: null,
      };
      t.strictSame(await api.must('PATCH', path, nothing), job);
      const changed = { priority: 9, retry_delay_seconds: 0, failure_limit: 5, action: 'pause' };
      t.match(await api.must('PATCH', path, changed), {
        priority: 9,
        status: 'paused',
        effective_retry: { max_attempts: 4, retry_delay_seconds: 0, failure_limit: 5 },
      });
      t.match(await api.must('PATCH', path, { action: 'resume', max_attempts: 1 }), {
        status: 'pending',
        effective_retry: { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 5 },
      });
      const other = await api.must<Row>('POST', '/api/v1/queues', { farm_id: farm.id, name: 'patched' });
      t.match(await api.must('PATCH', path, { queue_id: other['id'] }), { queue_id: other['id'] });
      await refused(t, [
        ['PATCH', path, 400, { queue_id: UNKNOWN }],
        ['PATCH', path, 400, { action: 'cancel' }],
        ['PATCH', `/api/v1/jobs/${UNKNOWN}`, 404, { priority: 1 }],
        ['DELETE', `/api/v1/queues/${String(other['id'])}`, 409],
      ]);
      const { body } = await api.ask('PATCH', path, { body: { action: 'stop' } });
      t.match(body, { detail: '/action: must be one of pause, resume, null' });
      t.equal((await api.ask('POST', `${path}/cancel`)).status, 204);
      t.equal((await api.ask('POST', `${path}/cancel`)).status, 204, 'idempotent for a canceled job');
      t.equal((await api.ask('DELETE', `/api/v1/queues/${String(other['id'])}`)).status, 204);
      t.equal((await api.ask('DELETE', path)).status, 204);
      await refused(t, [
        ['GET', path, 404],
        ['GET', `${path}/tasks`, 404],
        ['DELETE', path, 404],
        ['POST', `${path}/cancel`, 404],
        ['POST', `${path}/retry`, 404],
      ]);
    },
  ],
];
