import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { type FlowContext, OK, UNKNOWN } from './kit.ts';

/** Responses to invalid requests (docs/contract/errors.md). */
export const errorCases: readonly Case<FlowContext>[] = [
  [
    'errors: 404 for unknown IDs, 400 for invalid values; every error body is a problem',
    async (t, { farm, quiet }) => {
      const job = await quiet.submit(jobOf('target', { line: OK }));
      const { id: task } = await quiet.task(job);
      const jobPath = `/api/v1/jobs/${job}`;
      const big = 1e400;
      const rows: readonly (readonly [string, string, number, (object | string)?, string?])[] = [
        ...[UNKNOWN, 'x', '%00', '..%2f..', 'é', '0'.repeat(3000)].flatMap(
          (id) =>
            [
              ['GET', `/api/v1/jobs/${id}`, 404],
              ['GET', `/api/v1/jobs/${id}/tasks`, 404],
              ['PATCH', `/api/v1/jobs/${id}`, 404, { action: 'pause' }],
              ['POST', `/api/v1/jobs/${id}/cancel`, 404],
              ['POST', `/api/v1/jobs/${id}/retry`, 404],
              ['DELETE', `/api/v1/jobs/${id}`, 404],
              ['GET', `/api/v1/tasks/${id}`, 404],
              ['GET', `/api/v1/tasks/${id}/attempts`, 404],
              ['GET', `/api/v1/tasks/${id}/explain`, 404],
              ['POST', `/api/v1/tasks/${id}/retry`, 404],
              ['POST', `/api/v1/tasks/${id}/cancel`, 404],
              ['GET', `/api/v1/workers/${id}`, 404],
              ['POST', `/api/v1/workers/${id}/disable`, 404],
              ['POST', `/api/v1/workers/${id}/enable`, 404],
              ['DELETE', `/api/v1/workers/${id}`, 404],
              ['PUT', `/api/v1/usage-pools/${id}`, 404, { name: 'x', max_concurrent: 1 }],
              ['DELETE', `/api/v1/usage-pools/${id}`, 404],
              ['DELETE', `/api/v1/compute-locations/${id}`, 404],
            ] as const,
        ),
        ['GET', `/api/v1/tasks/${task}9`, 404],
        ['POST', `/api/v1/tasks/${task.replace(/-0$/, '-99999999999999999999')}/cancel`, 404],
        ['POST', `/api/v1/tasks/${task.replace(/-0$/, '--1')}/retry`, 404],
        ['POST', `/api/v1/tasks/${task}/retry`, 409],
        ['PATCH', jobPath, 400],
        ['PATCH', jobPath, 400, ''],
        ['PATCH', jobPath, 400, 'null'],
        ['PATCH', jobPath, 400, '[]'],
        ['PATCH', jobPath, 400, '{"action": '],
        ['PATCH', jobPath, 400, { action: 'stop' }],
        ['PATCH', jobPath, 400, { action: 1 }],
        ['PATCH', jobPath, 400, { priority: '5' }],
        ['PATCH', jobPath, 400, { priority: 1.5 }],
        ['PATCH', jobPath, 400, `{"priority": 1e400}`],
        ['PATCH', jobPath, 400, { priority: 1e30 }],
        ['PATCH', jobPath, 400, { max_attempts: 0 }],
        ['PATCH', jobPath, 400, { max_attempts: -1 }],
        ['PATCH', jobPath, 400, { max_attempts: 2 ** 53 }],
        ['PATCH', jobPath, 400, { retry_delay_seconds: -1 }],
        ['PATCH', jobPath, 400, { retry_delay_seconds: 1e12 }],
        ['PATCH', jobPath, 400, { failure_limit: -1 }],
        ['PATCH', jobPath, 400, { failure_limit: true }],
        ['PATCH', jobPath, 400, { queue_id: UNKNOWN }],
        ['PATCH', jobPath, 400, { queue_id: farm.queueId }],
        ['PATCH', jobPath, 400, { queue_id: 7 }],
        ['PATCH', jobPath, 415, 'action=pause', 'application/x-www-form-urlencoded'],
        ['PUT', jobPath, 405, {}],
        ['PATCH', jobPath, 200, {}],
        ['PATCH', jobPath, 200, { action: null, priority: null, queue_id: null, unknown: big }],
        ['POST', `${jobPath}/retry`, 200, { anything: [1] }],
        ['POST', '/api/v1/usage-pools', 400, { name: 'p' }],
        ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: 0 }],
        ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: 1.5 }],
        ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: '3' }],
        ['POST', '/api/v1/usage-pools', 400, { name: 'p', max_concurrent: 1e18 }],
        ['POST', '/api/v1/usage-pools', 400, { name: '', max_concurrent: 1 }],
        ['POST', '/api/v1/usage-pools', 400, { max_concurrent: 1 }],
        ['POST', '/api/v1/usage-pools', 400],
        ['POST', '/api/v1/compute-locations', 400, { name: 'a b' }],
        ['POST', '/api/v1/compute-locations', 400, { name: 'a/b' }],
        ['POST', '/api/v1/compute-locations', 400, { name: 'a"b' }],
        ['POST', '/api/v1/compute-locations', 400, { name: "a'b" }],
        ['POST', '/api/v1/compute-locations', 400, { name: 'a\u00a0b' }],
        ['POST', '/api/v1/compute-locations', 400, { name: '' }],
        ['POST', '/api/v1/compute-locations', 201, { name: 'Zürich-東京' }],
        ['POST', '/api/v1/compute-locations', 201, { name: 'zürich-東京' }],
        ['POST', '/api/v1/compute-locations', 409, { name: 'zürich-東京' }],
      ];
      for (const [method, path, status, body, type] of rows) {
        const answer = await farm.api.call(method, path, body, type);
        const what = `${method} ${path.slice(0, 80)} ${JSON.stringify(body) ?? ''}`;
        t.equal(answer.status, status, what);
        if (status < 400) continue;
        t.match(answer.headers.get('content-type'), /^application\/problem\+json/, what);
        t.match(answer.body, { type: 'about:blank', status, title: String, detail: String }, what);
        t.equal(answer.body['instance'], answer.headers.get('x-request-id'), what);
      }
      for (const query of [
        { max_attempts: 0 },
        { max_attempts: 'many' },
        { retry_delay_seconds: -1 },
        { failure_limit: -1 },
        { priority: '1e3' },
        { depends_on: UNKNOWN },
        { depends_on: 'x' },
      ] as Readonly<Record<string, string | number>>[]) {
        const answer = await quiet.trySubmit(jobOf('bad', { line: OK }), query);
        t.equal(answer.status, 400, JSON.stringify(query));
      }
      t.equal((await quiet.trySubmit(jobOf('bad', { line: OK }), {}, UNKNOWN)).status, 400);
      t.equal((await quiet.trySubmit(jobOf('bad', { line: OK }), {}, farm.queueId)).status, 400);
    },
  ],
];
