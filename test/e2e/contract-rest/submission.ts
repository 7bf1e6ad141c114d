import type { Case } from '../../kit/cases.ts';
import { until } from '../../kit/until.ts';
import { column, NO_COUNTS, type RestContext, RFC_3339, type Row, UNKNOWN, UUID, waitingJob } from './kit.ts';

/** POST /jobs: the stored job, its errors and its dependencies. */
export const submissionCases: readonly Case<RestContext>[] = [
  [
    'POST /jobs: 201 with the job, its defaults, parameters and owner',
    async (t, { api, farm, queueQuery, submit, submitted }) => {
      const answer = await submit(waitingJob('defaults', 3));
      const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = answer.body as Row;
      t.match([String(id), createdAt, updatedAt], [UUID, RFC_3339, RFC_3339]);
      t.strictSame(rest, {
        farm_id: farm.id,
        queue_id: farm.queueId,
        name: 'defaults',
        owner: 'anonymous',
        submitter: 'anonymous',
        priority: 50,
        project: '',
        status: 'pending',
        template_format: 'json',
        failed_attempts: 0,
        effective_retry: { max_attempts: 3, retry_delay_seconds: 10, failure_limit: 0 },
        task_counts: { ...NO_COUNTS, total: 3, ready: 3 },
      });
      t.equal(answer.headers['location'], `/api/v1/jobs/${String(id)}`);
      const full = await submitted(
        {
          ...waitingJob('of {{Param.Word}}'),
          description: 'a description',
          parameterDefinitions: [
            { name: 'Word', type: 'STRING' },
            { name: 'Count', type: 'INT', default: 4 },
          ],
        },
        '&owner=Ada&submitter=mallory&project=moon&priority=-7&max_attempts=1&retry_delay_seconds=0' +
          '&failure_limit=0&param.Word=%C3%BCber%20all',
      );
      t.match(full, {
        name: 'of über all',
        owner: 'Ada',
        submitter: 'anonymous',
        project: 'moon',
        priority: -7,
        effective_retry: { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 0 },
      });
      const detail = await api.read<Row>(`/api/v1/jobs/${String(full['id'])}`);
      t.strictSame(detail, {
        ...full,
        description: 'a description',
        parameters: { Word: 'über all', Count: '4' },
        steps: detail['steps'],
        failure_summary: { failed_count: 0, dominant_reason: '', distinct_reasons: 0 },
        own_retry: { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 0 },
        waiting_reason: 'No worker is online.',
      });
      const [step] = detail['steps'] as readonly Row[];
      t.strictSame(step, {
        id: step?.['id'],
        job_id: full['id'],
        name: 'Step1',
        order: 0,
        status: 'ready',
        task_counts: { ...NO_COUNTS, total: 1, ready: 1 },
        created_at: full['created_at'],
        updated_at: full['updated_at'],
        waiting_reason: 'No worker is online.',
      });
      const self = await submitted(waitingJob('self'), '&owner=ANONYMOUS');
      t.equal(
        self['owner'],
        'anonymous',
        'an owner that equals the caller is stored with the casing of the caller',
      );
      const yaml = await api.ask('POST', `/api/v1/jobs?${queueQuery}`, {
        body: JSON.stringify(waitingJob('yaml'), null, 2),
        headers: { 'content-type': 'application/x-yaml' },
      });
      t.match(yaml.body, { name: 'yaml', template_format: 'yaml' });
    },
  ],
  [
    'POST /jobs: 400 for query parameters, 422 for the template and its parameters',
    async (t, { farm, queueQuery, page, submit, refused }) => {
      const withWord = { ...waitingJob('p'), parameterDefinitions: [{ name: 'Word', type: 'STRING' }] };
      const path = `/api/v1/jobs?${queueQuery}`;
      await refused(t, [
        ['POST', `/api/v1/jobs?queue_id=${farm.queueId}`, 400, waitingJob('x')],
        ['POST', `/api/v1/jobs?farm_id=${farm.id}`, 400, waitingJob('x')],
        ['POST', `/api/v1/jobs?farm_id=${UNKNOWN}&queue_id=${farm.queueId}`, 400, waitingJob('x')],
        ['POST', `/api/v1/jobs?farm_id=${farm.id}&queue_id=${UNKNOWN}`, 400, waitingJob('x')],
        ['POST', `/api/v1/jobs?farm_id=show&queue_id=${farm.queueId}`, 400, waitingJob('x')],
        ['POST', `${path}&max_attempts=0`, 400, waitingJob('x')],
        ['POST', `${path}&retry_delay_seconds=-1`, 400, waitingJob('x')],
        ['POST', `${path}&failure_limit=-1`, 400, waitingJob('x')],
        ['POST', `${path}&priority=1.5`, 400, waitingJob('x')],
        ['POST', `${path}&depends_on=${UNKNOWN}`, 400, waitingJob('x')],
        ['POST', `${path}&depends_on=x`, 400, waitingJob('x')],
        ['POST', path, 422, withWord],
        ['POST', `${path}&param.Word=a&param.Other=b`, 422, withWord],
        ['POST', `${path}&param.Word=a&param.Word=b`, 400, withWord],
        ['POST', path, 422, {}],
        ['POST', path, 422, { ...waitingJob('x'), specificationVersion: 'jobtemplate-2024-01' }],
        ['POST', path, 422, { ...waitingJob('x'), steps: [] }],
      ]);
      const { body } = await submit({ ...waitingJob('x'), name: 7, description: [] });
      t.match(
        body,
        { detail: /^\/\S+: .+; \/\S+: .+/ },
        'each problem is <JSON pointer>: <message>, joined with semicolons',
      );
      t.match(body, { detail: /\/description: / });
      t.match(body, { detail: /\/name: / });
      const extended = await submit({ ...waitingJob('x'), extensions: ['WRAP_ACTIONS'] });
      t.match([extended.status, extended.body], [422, { detail: /^\/extensions\/0: / }]);
      t.equal((await page('/api/v1/jobs?search=x')).total, 0, 'rejected jobs are not stored');
    },
  ],
  [
    'depends_on: repeatable; the job is blocked, steps and tasks are pending; the job detail lists the upstream jobs',
    async (t, { api, page, submitted }) => {
      const [a, b] = [await submitted(waitingJob('up a')), await submitted(waitingJob('up b'))];
      const ids = [String(a['id']), String(b['id'])];
      const query = ids.map((id) => `&depends_on=${id}`).join('');
      const job = await submitted(waitingJob('down', 2), query);
      t.match(job, { status: 'blocked', task_counts: { ...NO_COUNTS, total: 2, pending: 2 } });
      const detail = await api.read<Row>(`/api/v1/jobs/${String(job['id'])}`);
      t.strictSame(detail['depends_on'], ids);
      t.match(detail['steps'], [{ status: 'pending' }]);
      t.strictSame(column((await page(`/api/v1/jobs/${String(job['id'])}/tasks`)).items, 'status'), [
        'pending',
        'pending',
      ]);
      t.equal((await api.ask('DELETE', `/api/v1/jobs/${String(b['id'])}`)).status, 204);
      await until('the dependent is canceled', async () => {
        const { status } = await api.read<Row>(`/api/v1/jobs/${String(job['id'])}`);
        return status === 'canceled';
      });
    },
  ],
];
