import { test } from 'tap';
import { sessionCheck } from '../../kit/session-check.ts';
import type { Exchange } from '../../kit/recording-proxy.ts';

const check = sessionCheck();
const TIME = '2026-01-02T03:04:05.678Z';
const FARM = {
  id: 'f',
  name: 'north',
  description: '',
  max_concurrent_tasks: 0,
  created_at: TIME,
  updated_at: TIME,
};
const COMMON = [
  ['x-request-id', 'r'],
  ['x-api-version', '1'],
  ['content-type', 'application/json'],
] as const;

const COUNTS = Object.fromEntries(
  [
    'total',
    'pending',
    'ready',
    'assigned',
    'running',
    'succeeded',
    'failed',
    'canceled',
    'unschedulable',
  ].map((name) => [name, 0]),
);
const JOB = {
  ...{
    id: 'j',
    farm_id: 'f',
    queue_id: 'q',
    name: 'n',
    owner: 'o',
    submitter: 's',
    priority: 50,
    project: '',
  },
  ...{ status: 'pending', template_format: 'yaml', created_at: TIME, updated_at: TIME, failed_attempts: 0 },
  effective_retry: { max_attempts: 3, retry_delay_seconds: 10, failure_limit: 0 },
  task_counts: COUNTS,
};
const DETAIL = {
  ...JOB,
  steps: [],
  failure_summary: { failed_count: 0, dominant_reason: '', distinct_reasons: 0 },
};

const listing: Exchange = {
  method: 'GET',
  target: '/api/v1/farms',
  requestHeaders: [['accept', '*/*']],
  requestBody: '',
  status: 200,
  answerHeaders: [...COMMON, ['etag', 'W/"1"']],
  answerBody: JSON.stringify([FARM]),
};
const creation: Exchange = {
  ...listing,
  method: 'POST',
  requestHeaders: [['content-type', 'application/json; charset=utf-8']],
  requestBody: '{"name":"north"}',
  status: 201,
  answerHeaders: COMMON,
  answerBody: JSON.stringify(FARM),
};
const jobs: Exchange = {
  ...listing,
  target: '/api/v1/jobs?status=failed&limit=5',
  answerBody: '{"items":[],"total":0,"limit":5,"offset":0}',
};
const submission: Exchange = {
  ...creation,
  target: `/api/v1/jobs?farm_id=x&queue_id=y&param.A=1&depends_on=a&depends_on=b`,
  requestHeaders: [
    ['content-type', 'application/x-yaml'],
    ['idempotency-key', 'k'],
  ],
  requestBody: 'name: x\n',
  status: 422,
  answerHeaders: [...COMMON.slice(0, 2), ['content-type', 'application/problem+json']],
  answerBody: JSON.stringify({ type: 'about:blank', title: 'T', status: 422, detail: 'd', instance: 'r' }),
};
const chunk = {
  id: 'c',
  task_id: 't',
  attempt_id: 'a',
  seq_num: 1,
  bus_seq: 1,
  stream: 'stdout',
  data: 'x',
  at: TIME,
  received_at: TIME,
};
const stream: Exchange = {
  ...listing,
  target: '/api/v1/tasks/t/logs?tail=true',
  answerHeaders: [...COMMON.slice(0, 2), ['content-type', 'application/x-ndjson']],
  answerBody: `${JSON.stringify(chunk)}\n${JSON.stringify({ ...chunk, bus_seq: 2 })}\n`,
};
const deletion: Exchange = {
  ...listing,
  method: 'DELETE',
  target: '/api/v1/farms/f',
  status: 204,
  answerHeaders: COMMON.slice(0, 2),
  answerBody: '',
};

test('documented requests and responses pass', async (t) => {
  for (const exchange of [listing, creation, jobs, submission, stream, deletion]) t.same(check(exchange), []);
  const unchanged = {
    ...listing,
    status: 304,
    answerBody: '',
    requestHeaders: [['if-none-match', 'W/"1"']] as const,
  };
  t.same(check(unchanged), []);
});

test('undocumented parts are reported', async (t) => {
  const body = (value: unknown): string => JSON.stringify(value);
  const cases: readonly (readonly [string, Exchange, readonly string[]])[] = [
    ['path', { ...listing, target: '/api/v1/moons' }, ['no such operation']],
    ['method', { ...listing, method: 'PATCH' }, ['no such operation']],
    [
      'query parameter',
      { ...jobs, target: '/api/v1/jobs?limit=5&color=red' },
      ['the query parameter color is not in the document'],
    ],
    [
      'query parameter of a refused request',
      { ...submission, target: '/api/v1/jobs?params.A=1' },
      ['the query parameter params.A is not in the document'],
    ],
    ['value of a parameter', { ...jobs, target: '/api/v1/jobs?limit=0' }, ['/query/limit must be >= 1']],
    [
      'parameter that must be there',
      {
        ...submission,
        target: '/api/v1/jobs?farm_id=0198a1c2-1111-7111-8111-111111111111',
        status: 201,
        answerHeaders: COMMON,
        answerBody: body(JOB),
      },
      ['/query/queue_id is required'],
    ],
    [
      'request header',
      { ...listing, requestHeaders: [['x-color', 'red']] },
      ['the request header x-color is not in the document'],
    ],
    ['request body', { ...listing, requestBody: '{}' }, ['a request body is not in the document']],
    [
      'type of the request body',
      { ...creation, requestHeaders: [['content-type', 'text/plain']] },
      ['a request body of the type text/plain is not in the document'],
    ],
    [
      'member of the request body',
      { ...creation, requestBody: body({ name: 'north', id: 'f' }) },
      ['request body:  must NOT have unevaluated properties'],
    ],
    [
      'type of a member of the request body',
      { ...creation, requestBody: body({ name: 'north', description: 7 }) },
      ['request body: /description must be string'],
    ],
    ['status', { ...listing, status: 418 }, ['the status 418 is not in the document']],
    [
      'type of the answer',
      { ...listing, answerHeaders: [...COMMON.slice(0, 2), ['content-type', 'text/html']] },
      ['an answer of the type text/html is not in the document'],
    ],
    [
      'member of the answer',
      { ...listing, answerBody: body([{ ...FARM, color: 'red' }]) },
      ['answer body: /0 must NOT have unevaluated properties'],
    ],
    [
      'type of a member of the answer',
      { ...creation, answerBody: body({ ...FARM, name: null }) },
      ['answer body: /name must be string'],
    ],
    [
      'member that is missing',
      { ...creation, answerBody: body({ ...FARM, id: undefined }) },
      ['answer body: /id is required'],
    ],
    ['answer that is no JSON', { ...creation, answerBody: '<html>' }, ['answer body:  must be object']],
    [
      'body of an answer without',
      { ...deletion, answerBody: '{}' },
      ['an answer body is not in the document'],
    ],
    [
      'line of a stream',
      { ...stream, answerBody: `${body(chunk)}\n${body({ ...chunk, bus_seq: '2' })}\n` },
      ['answer body: /bus_seq must be integer'],
    ],
    [
      'answer header',
      { ...listing, answerHeaders: [...COMMON, ['x-color', 'red']] },
      ['the answer header x-color is not in the document'],
    ],
    [
      'value of an answer header',
      {
        ...submission,
        status: 429,
        answerHeaders: [...submission.answerHeaders, ['retry-after', 'soon']],
        answerBody: submission.answerBody.replace('422', '429'),
      },
      ['answer header retry-after:  must be integer'],
    ],
    [
      'header that every answer has',
      { ...listing, answerHeaders: COMMON.slice(1) },
      ['the answer has no x-request-id'],
    ],
  ];
  for (const [what, exchange, complaints] of cases) t.same(check(exchange), complaints, what);
});

test('members of combined schemas are allowed together', async (t) => {
  const job = (body: object): Exchange => ({
    ...listing,
    target: '/api/v1/jobs/j',
    answerBody: JSON.stringify(body),
  });
  t.same(check(job(DETAIL)), []);
  t.same(check(job({ ...DETAIL, color: 'red' })), ['answer body:  must NOT have unevaluated properties']);
  t.same(check(job({ ...DETAIL, task_counts: { ...COUNTS, color: 1 } })), [
    'answer body: /task_counts must NOT have unevaluated properties',
  ]);
});
