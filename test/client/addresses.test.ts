import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type Test } from 'tap';
import { createNodeFetch } from '../../cli/client/node-fetch.ts';
import { serviceAddresses } from '../../client/addresses.ts';
import type { HttpFetch } from '../../client/http-fetch.ts';
import { ProblemError, ServiceUnreachable } from '../../client/problem.ts';
import { Rest } from '../../client/rest.ts';
import { freePort } from '../kit/nats-server.ts';

interface Node {
  readonly url: string;
  readonly requests: string[];
}

/** Starts a node that answers every request with a status; 0 cuts the connection after the request. */
async function startNode(t: Test, status: number): Promise<Node> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`);
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, { 'content-type': 'application/json' }).end('{"title":"t"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const FETCHES: Readonly<Record<string, HttpFetch>> = {
  'the global fetch': (address, request) => fetch(address, request),
  'the fetch of the command': createNodeFetch(),
};

const submit = (rest: Rest, key?: string): Promise<unknown> =>
  (key === undefined ? rest : rest.withHeaders({ 'Idempotency-Key': key })).call('post', '/farms', {
    body: { name: 'north' },
  });

test('addresses are separated by commas', (t) => {
  t.same(serviceAddresses(' http://a:1/, https://b/x/ ,'), ['http://a:1', 'https://b/x']);
  const rest = new Rest({ base: 'http://a:1/,http://b:1/' });
  t.equal(rest.base, 'http://a:1,http://b:1');
  t.equal(rest.url('/farms').href, 'http://a:1/api/v1/farms', 'a link has one address');
  t.end();
});

for (const [by, fetch] of Object.entries(FETCHES)) {
  const restOf = (...urls: readonly string[]): Rest => new Rest({ base: urls.join(','), fetch });

  test(`a node that cannot be reached is left for the next one, by ${by}`, async (t) => {
    const alive = await startNode(t, 200);
    const rest = restOf(`http://127.0.0.1:${await freePort()}`, alive.url);
    await submit(rest);
    await rest.call('get', '/farms');
    t.same(alive.requests, ['POST /api/v1/farms', 'GET /api/v1/farms']);
  });

  test(`an unavailable node is left for the next one, by ${by}`, async (t) => {
    const [away, alive] = [await startNode(t, 503), await startNode(t, 200)];
    const rest = restOf(away.url, alive.url);
    await rest.call('get', '/farms');
    await rest.call('get', '/farms');
    t.equal(away.requests.length, 1, 'later requests begin at the node that answers');
    await submit(restOf(away.url, alive.url), 'k');
    t.equal(alive.requests.length, 3);
  });

  test(`a write without an idempotency key is not sent twice, by ${by}`, async (t) => {
    const alive = await startNode(t, 200);
    const [away, cut] = [await startNode(t, 503), await startNode(t, 0)];
    await t.rejects(submit(restOf(away.url, alive.url)), ProblemError);
    await t.rejects(submit(restOf(cut.url, alive.url)), ServiceUnreachable);
    t.same(alive.requests, []);
    await submit(restOf(cut.url, alive.url), 'k');
    t.same(alive.requests, ['POST /api/v1/farms']);
  });

  test(`the error names all addresses if none answers, by ${by}`, async (t) => {
    const [first, second] = [await startNode(t, 503), await startNode(t, 503)];
    await t.rejects(restOf(first.url, second.url).call('get', '/farms'), ProblemError);
    const urls = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
    await t.rejects(restOf(...urls).call('get', '/farms'), {
      message: new RegExp(`the server at ${urls.join(',')} cannot be reached`),
    });
  });
}
