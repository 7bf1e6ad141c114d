import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test, type Test } from 'tap';
import { createNodeFetch } from '../../../cli/client/node-fetch.ts';
import type { HttpRequest } from '../../../client/http-fetch.ts';

const nodeFetch = createNodeFetch();

const GET: HttpRequest = { method: 'GET', headers: {} };

async function listen(t: Test, listener: RequestListener): Promise<{ address: URL; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer(listener).on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { address: new URL(`http://127.0.0.1:${port}/`), sockets };
}

test('sends method, headers and body, and returns status, headers and text', async (t) => {
  const received: unknown[] = [];
  const { address } = await listen(t, (request, response) => {
    request.setEncoding('utf8').on('data', (body) => {
      received.push([request.method, request.headers['x-a'], request.headers['accept-encoding'], body]);
      response.writeHead(409, { 'X-B': 'two', 'Set-Cookie': ['a=1', 'b=2'] }).end('\u{feff}grün');
    });
  });
  const answer = await nodeFetch(address, { method: 'PUT', headers: { 'X-A': 'one' }, body: 'frame €' });
  t.same(received, [['PUT', 'one', 'gzip', 'frame €']]);
  t.match(answer, { ok: false, status: 409 });
  t.equal(answer.headers.get('x-B'), 'two');
  t.equal(answer.headers.get('x-c'), null);
  t.same(answer.headers.getSetCookie(), ['a=1', 'b=2']);
  t.equal(await answer.text(), 'grün', 'without the byte order mark, like fetch');
});

test('unpacks a response, and reports one that cannot be unpacked', async (t) => {
  const bodies = [
    gzipSync('x'.repeat(100_000)),
    Buffer.from('not gzip'),
    gzipSync('cut off').subarray(0, 15),
  ];
  const { address } = await listen(t, (_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bodies.shift());
  });
  t.equal((await (await nodeFetch(address, GET)).text()).length, 100_000);
  await t.rejects((await nodeFetch(address, GET)).text(), { cause: { code: 'Z_DATA_ERROR' } });
  await t.rejects((await nodeFetch(address, GET)).text(), { cause: { code: 'Z_BUF_ERROR' } });
});

test('follows a redirect of a read, and none of a change', async (t) => {
  const seen: unknown[] = [];
  const { address } = await listen(t, (request, response) => {
    seen.push([request.method, request.url]);
    if (request.url === '/') response.writeHead(308, { Location: '/new' }).end();
    else response.end('moved');
  });
  t.equal(await (await nodeFetch(address, GET)).text(), 'moved');
  await t.rejects(
    nodeFetch(address, { method: 'POST', headers: {}, body: 'secret', redirect: 'error' }),
    TypeError,
  );
  t.notOk(seen.some((request) => String(request) === 'POST,/new'));
});

test('repeats a read whose kept connection the service has closed, and no change', async (t) => {
  let isClosing = false;
  const { address, sockets } = await listen(t, (request, response) => {
    if (isClosing) request.socket.destroy();
    else response.end('kept');
    isClosing = false;
  });
  t.equal(await (await nodeFetch(address, GET)).text(), 'kept');
  isClosing = true;
  t.equal(await (await nodeFetch(address, GET)).text(), 'kept', 'by a new connection');
  t.equal(sockets.size, 2);
  isClosing = true;
  await t.rejects(nodeFetch(address, { ...GET, method: 'DELETE' }), { cause: { code: 'ECONNRESET' } });
  isClosing = true;
  await t.rejects(
    nodeFetch(address, GET),
    { cause: { code: 'ECONNRESET' } },
    'a new connection that is closed',
  );
});

test('a response without data for long has failed', async (t) => {
  const { address } = await listen(t, (request, response) => {
    if (request.url === '/') response.write('one');
  });
  const impatient = createNodeFetch(100);
  const answer = await impatient(address, GET);
  await t.rejects(answer.text(), { cause: { code: 'UND_ERR_BODY_TIMEOUT', message: 'no data for 0.1 s' } });
  await t.rejects(impatient(new URL('/none', address), GET), { cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
});
