import { test } from 'tap';
import { createNodeFetch } from '../../../cli/client/node-fetch.ts';
import { followLog } from '../../../cli/logs/follow-log.ts';
import { RestClient } from '../../../cli/client/rest-client.ts';
import { answeringService, type Answer } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';

const LOGS = 'GET /api/v1/tasks/x/logs';
const TASK = 'GET /api/v1/tasks/x';
const line = (seq: number, data: string): string =>
  `${JSON.stringify({ attempt_id: 'a1', stream: 'stdout', data, bus_seq: seq })}\n`;
const task = (status: string): Answer => ({ body: { id: 'x', status } });
const GONE: Answer = { status: 404, body: { title: 'Not Found' } };

interface Asking {
  readonly requests: readonly { readonly path: string }[];
}
const cursors = ({ requests }: Asking): readonly (string | null)[] =>
  requests
    .filter(({ path }) => path.includes('tail=true'))
    .map(({ path }) => new URL(path, 'http://x').searchParams.get('after_bus_seq'));

test('following continues when the service ends the tail before the task has ended', async (t) => {
  const service = await answeringService({
    [LOGS]: [{ body: ` ${line(1, 'one\n')}` }, { body: line(2, 'two\n') }, { body: '' }],
    [TASK]: [task('running'), task('succeeded')],
  });
  t.teardown(() => service.close());
  t.same(await runCallsheet(['logs', 'x', '--follow', '--url', service.url]), {
    code: 0,
    out: 'one\ntwo\n',
    err: '',
  });
  t.same(cursors(service), ['0', '1', '2']);
});

test('following completes when the task ended while the service was unreachable', async (t) => {
  const service = await answeringService({
    [LOGS]: [{ body: line(1, 'one\n') }, { body: line(7, 'two\n') }, { body: '' }],
    [TASK]: [task('failed')],
  });
  t.teardown(() => service.close());
  t.match(await runCallsheet(['logs', 'x', '--follow', '--url', service.url]), {
    code: 0,
    out: 'one\ntwo\n',
  });
  t.same(cursors(service), ['0', '1', '7']);
});

test('following ends when the task is deleted', async (t) => {
  const service = await answeringService({ [LOGS]: [{ body: line(1, 'one\n') }], [TASK]: [GONE] });
  t.teardown(() => service.close());
  t.same(await runCallsheet(['logs', 'x', '--follow', '--url', service.url]), {
    code: 0,
    out: 'one\n',
    err: '',
  });
  const none = await answeringService({});
  t.teardown(() => none.close());
  t.match(await runCallsheet(['logs', 'x', '--follow', '--url', none.url]), { code: 4, out: '' });
});

test('a task without output for a long time is not treated as an outage', async (t) => {
  const impatient = createNodeFetch(200);
  const service = await answeringService({
    [LOGS]: [{ body: `${line(1, 'one\n')}{"bus_`, holds: true }, { body: line(2, 'two\n') }, { body: '' }],
    [TASK]: [task('running'), task('succeeded')],
  });
  t.teardown(() => service.close());
  const written: string[] = [];
  await followLog(new RestClient(service.url, null, impatient), 'x', {
    write: ({ data }) => written.push(data),
    away: () => written.push('away'),
    endsAfterMs: null,
  });
  t.same(written, ['one\n', 'two\n']);
  t.same(cursors(service), ['0', '1', '2']);
});

test('an interruption is reported, and following resumes after the last chunk', async (t) => {
  const service = await answeringService({
    [LOGS]: [{ body: line(1, 'one\n'), breaks: true }, { body: line(2, 'two\n') }, { body: '' }],
    [TASK]: [task('succeeded')],
  });
  t.teardown(() => service.close());
  t.same(await runCallsheet(['logs', 'x', '--follow', '--url', service.url]), {
    code: 0,
    out: 'one\ntwo\n',
    err: `waiting for the server at ${service.url}\n`,
  });
});

test('a stream with a deadline returns only complete lines', async (t) => {
  const service = await answeringService({
    [LOGS]: [{ body: `${line(1, 'one\n')}{"bus_seq"`, holds: true }],
  });
  t.teardown(() => service.close());
  const client = new RestClient(service.url);
  let opened = 0;
  const given: string[] = [];
  const options = { endsAfterMs: 1_000, opened: () => opened++ };
  for await (const { data } of client.stream('/tasks/{id}/logs', options, { path: { id: 'x' } }))
    given.push(data);
  t.same([opened, given], [1, ['one\n']]);
});
