import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { askSource, type SourceAnswer } from '../../../src/adapters/pools/ask-source.ts';
import { until } from '../../kit/until.ts';

const NEVER = new AbortController().signal;
const LONG_MS = 60_000;

const run = (command: string, timeoutMs = LONG_MS, stopping = NEVER): Promise<SourceAnswer> =>
  askSource({ kind: 'command', command }, { timeoutMs, stopping });

test('the first line of a command is its answer', async (t) => {
  t.strictSame(await run('echo 12'), { ok: true, slots: 12 });
  t.strictSame(await run(`printf '{"slots": 3}\\nmore\\n'; echo warning >&2`), { ok: true, slots: 3 });
  t.strictSame(await run('echo 5; head -c 1000000 /dev/zero'), { ok: true, slots: 5 }, 'long output');
});

test('a command that fails says how, and its errors are for the log only', async (t) => {
  t.strictSame(await run('echo 5; echo no server >&2; exit 3'), {
    ok: false,
    reason: 'the command ended with exit status 3',
    note: 'no server',
  });
  t.match(await run('kill -TERM $$'), { ok: false, reason: 'the command was ended by SIGTERM' });
  t.match(await run('echo; echo 5'), { ok: false, reason: /output is empty/ });
  t.match(await run('echo five'), { ok: false, reason: /not a whole number .*"five"/ });
  t.match(await run('/nonexistent/seats'), { ok: false, reason: 'the command ended with exit status 127' });
});

test('a command gets none of the variables of the server', async (t) => {
  process.env['SVC_TEST_SECRET'] = 'x';
  t.teardown(() => delete process.env['SVC_TEST_SECRET']);
  t.strictSame(await run('env | grep -c SVC_ || true'), { ok: true, slots: 0 });
});

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a command that takes too long is ended with its children', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-source-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'pid');
  // The answer waits for the pipe, which the child holds open.
  const answer = await run(`sleep 600 & echo $! > '${file}'; wait`, 3_000);
  t.strictSame(answer, { ok: false, reason: 'no answer within 3 s', note: '' });
  const pid = Number(await readFile(file, 'utf8'));
  await until('the child has ended', () => !isRunning(pid));
  t.strictSame(await run('sleep 600 & echo 4'), { ok: true, slots: 4 }, 'a child that is left is ended');
});

test('a question ends when the server stops', async (t) => {
  const stopping = new AbortController();
  const answer = run('sleep 600', LONG_MS, stopping.signal);
  stopping.abort();
  t.match(await answer, { ok: false, reason: 'the server stops' });
  t.match(await run('echo 1', LONG_MS, stopping.signal), { ok: false, reason: 'the server stops' });
});

/** Starts an HTTP server. Returns its address. */
async function serve(t: Test, handle: (path: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => handle(request.url ?? '', response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

test('a URL answers with status 200 and a number', async (t) => {
  const base = await serve(t, (path, response) => {
    if (path === '/plain') response.end('8\n');
    else if (path === '/json') response.end('{\n "slots": 9\n}\n');
    else if (path === '/page') response.end('<html>');
    else if (path === '/long') response.end('1'.repeat(70_000));
    else if (path === '/moved') response.writeHead(302, { location: '/plain' }).end();
    else if (path === '/cut') {
      response.writeHead(200, { 'content-length': '10' }).flushHeaders();
      response.destroy();
    } else if (path !== '/silent') response.writeHead(500).end('8');
  });
  const get = (path: string, timeoutMs = LONG_MS): Promise<SourceAnswer> =>
    askSource({ kind: 'url', url: `${base}${path}` }, { timeoutMs, stopping: NEVER });
  t.strictSame(await get('/plain'), { ok: true, slots: 8 });
  t.strictSame(await get('/json'), { ok: true, slots: 9 });
  t.match(await get('/page'), { ok: false, reason: /not a whole number .*<html>/ });
  t.match(await get('/long'), { ok: false, reason: 'the response is longer than 65536 bytes' });
  t.match(await get('/moved'), { ok: false, reason: 'the response has status 302 instead of 200' });
  t.match(await get('/broken?key=secret'), {
    ok: false,
    reason: 'the response has status 500 instead of 200',
  });
  t.match(await get('/cut'), { ok: false, reason: 'the request has failed' });
  t.match(await get('/silent', 500), { ok: false, reason: 'no answer within 0.5 s' });
});

test('a server that cannot be reached is a failure with its cause for the log', async (t) => {
  const answer = await askSource(
    { kind: 'url', url: 'http://127.0.0.1:1/slots' },
    { timeoutMs: LONG_MS, stopping: NEVER },
  );
  t.match(answer, { ok: false, reason: 'the request has failed', note: /./ });
});
