import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';
import { answeringService, type Answer } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';

const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));
const ID = '0198a1c2-1111-7111-8111-111111111111';
const COUNTS = { total: 1, running: 0, assigned: 0, succeeded: 0, failed: 1, canceled: 0 };
const job = (status: string): Answer => ({
  body: { id: ID, farm_id: ID, name: 'shot', status, task_counts: COUNTS, steps: [] },
});
const TASK = { id: 'x', name: 'Render', status: 'failed', failure_reason: 'exit 3' };

test('a template may arrive slowly on standard input', async (t) => {
  const child = spawn(process.execPath, [COMMAND, 'openjd', 'check', '-'], {
    env: { PATH: process.env['PATH'] },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => {});
  const closed = once(child, 'close');
  // Larger than the pipe buffer. After the command has read all of it, the end of input follows.
  const first = `specificationVersion: jobtemplate-2023-09\nname: slow\n${'# a long remark\n'.repeat(30_000)}`;
  await new Promise<void>((resolve) => child.stdin.write(first, () => resolve()));
  child.stdin.end('steps: [{ name: Render, script: { actions: { onRun: { command: "true" } } } }]\n');
  const [code] = (await closed) as [number | null];
  t.equal(err, '');
  t.equal(code, 0);
  t.match(out, /^standard input: valid\nslow\n/);
});

test('unreadable input is reported', async (t) => {
  t.match(await runCallsheet(['openjd', 'check', '/nowhere/t.yaml']), {
    code: 2,
    out: '',
    err: /^the template cannot be read: ENOENT/,
  });
});

test('the exit status is the same when an output is closed', async (t) => {
  for (const [status, code] of [
    ['completed', 0],
    ['failed', 1],
    ['canceled', 7],
  ] as const) {
    const service = await answeringService({ [`GET /api/v1/jobs/${ID}`]: [job(status)] });
    t.teardown(() => service.close());
    const run = (word: string, unread: 'stdout' | 'stderr'): ReturnType<typeof runCallsheet> =>
      runCallsheet(['job', ID, word, '--url', service.url], { unread });
    t.same(await run('wait', 'stdout'), { code, out: '', err: '' });
    t.same(await run('watch', 'stderr'), { code, out: `${ID} ${status}\n`, err: '' });
  }
});

test('an unreadable log does not change the exit status', async (t) => {
  const tasks = `GET /api/v1/jobs/${ID}/tasks`;
  const refused: Answer = { status: 404, body: { title: 'Not\u001b[31m Found' } };
  for (const answers of [
    { [tasks]: [refused] },
    { [tasks]: [{ body: { items: [TASK], total: 1 } }], 'GET /api/v1/tasks/x/logs': [refused] },
  ]) {
    const service = await answeringService({ [`GET /api/v1/jobs/${ID}`]: [job('failed')], ...answers });
    t.teardown(() => service.close());
    const ran = await runCallsheet(['job', ID, 'watch', '--url', service.url]);
    t.same([ran.code, ran.out], [1, `${ID} failed\n`]);
    t.match(ran.err, /\ncould not list the failed tasks: Not\ufffd\[31m Found\n$/);
  }
});

test('the quoted log is complete even if the service ended its tail', async (t) => {
  const chunk = (seq: number, data: string): string =>
    `${JSON.stringify({ attempt_id: 'a1', stream: 'stdout', data, bus_seq: seq })}\n`;
  const service = await answeringService({
    [`GET /api/v1/jobs/${ID}`]: [job('failed')],
    [`GET /api/v1/jobs/${ID}/tasks`]: [{ body: { items: [TASK], total: 1 } }],
    'GET /api/v1/tasks/x': [{ body: TASK }],
    'GET /api/v1/tasks/x/logs': [{ body: chunk(1, 'one\n') }, { body: chunk(2, 'two\n') }, { body: '' }],
  });
  t.teardown(() => service.close());
  const ran = await runCallsheet(['job', ID, 'watch', '--url', service.url]);
  t.match(ran, { code: 1, out: `${ID} failed\n`, err: /\n {2}\| one\n {2}\| two\n$/ });
});

test('control characters in errors of the service are escaped', async (t) => {
  const evil = 'a\u001b[2J\u009b31m\u202eb\rc';
  const shown = 'a\ufffd[2J\ufffd31m\\u202eb\ufffdc';
  const queue = (id: string): object => ({ id, name: 'night', farm_id: ID });
  const service = await answeringService({
    'GET /api/v1/farms': [
      { status: 400, body: { title: evil, errors: [{ pointer: `/${evil}`, detail: evil }] } },
      { status: 400, body: { title: 'Bad', detail: evil } },
      { status: 500, body: `<html>${evil}\nline` },
      { body: `<html>${evil}` },
    ],
    'GET /api/v1/jobs': [
      { body: { items: [queue('1'), queue('2')].map((one) => ({ ...one, name: evil })), total: 2 } },
    ],
  });
  t.teardown(() => service.close());
  const said = async (...args: readonly string[]): Promise<string> =>
    (await runCallsheet([...args, '--url', service.url])).err;
  t.equal(await said('farms'), `${shown}:\n  /${shown}: ${shown}\n`);
  t.equal(await said('farms'), `Bad: ${shown}\n`);
  t.equal(await said('farms'), `the server answered 500: <html>${shown}\nline\n`);
  t.equal(await said('farms'), `the server at ${service.url} returned invalid JSON: <html>${shown}\n`);
  t.match(await said('job', evil), new RegExp(`\\n  1  ${shown.replaceAll(/[\\\\[]/g, '\\$&')}\\n  2  `));
});
