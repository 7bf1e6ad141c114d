import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { test, type Test } from 'tap';
import { parseNetwork } from '../../../src/core/access/ip-networks.ts';
import type { AllowedTargets } from '../../../src/core/webhooks/target-address.ts';
import {
  postWebhook,
  type Resolve,
  type WebhookResponse,
} from '../../../src/adapters/webhooks/post-webhook.ts';
import { targetUrlFault } from '../../../src/adapters/webhooks/target-url.ts';
import { WebhookReceiver } from '../../kit/webhook-receiver.ts';

const loopback = parseNetwork('127.0.0.0/8');
if (loopback === null) throw new Error('the network is wrong');
const LOOPBACK: AllowedTargets = { names: [], networks: [loopback] };
const NONE: AllowedTargets = { names: [], networks: [] };

const resolving = (...answers: readonly (readonly LookupAddress[])[]): Resolve & { calls: number } => {
  const resolve = (_host: string, callback: Parameters<Resolve>[1]): void => {
    callback(null, answers[resolve.calls++] ?? answers.at(-1) ?? []);
  };
  resolve.calls = 0;
  return resolve;
};
const ipv4 = (address: string): LookupAddress => ({ address, family: 4 });

function post(
  url: string,
  {
    allowed = LOOPBACK,
    resolve,
    limitMs,
  }: { allowed?: AllowedTargets; resolve?: Resolve; limitMs?: number } = {},
): Promise<WebhookResponse> {
  const request = { url, headers: {}, body: '{}', allowed, signal: new AbortController().signal };
  return postWebhook(request, resolve, limitMs);
}

async function receiverOf(t: Test): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

/** Starts a server that handles raw connections. */
async function rawServer(t: Test, handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return address === null || typeof address === 'string' ? '' : `http://127.0.0.1:${address.port}/`;
}

void test('the status decides', async (t) => {
  const receiver = await receiverOf(t);
  receiver.answer = ({ path }) => ({ status: Number(path.slice(1)), headers: { location: '/200' } });
  const found = async (status: number): Promise<WebhookResponse> => post(receiver.url(`/${status}`));
  t.same(await found(200), { status: 200, error: null });
  t.same(await found(204), { status: 204, error: null });
  t.match(await found(302), { status: 302, error: /redirect \(302\), which is not followed/ });
  t.match(await found(307), { status: 307, error: /redirect/ });
  t.match(await found(404), { status: 404, error: 'answered with status 404' });
  t.match(await found(500), { status: 500, error: 'answered with status 500' });
  t.equal(receiver.received.length, 6, 'one request each');
});

void test('a name with a refused address is refused, and no second resolution is used', async (t) => {
  const receiver = await receiverOf(t);
  const url = `http://receiver.example:${receiver.port}/hook`;
  const refused = await post(url, { allowed: NONE, resolve: resolving([ipv4('127.0.0.1')]) });
  t.match(refused, { status: null, error: /the address 127.0.0.1 is not public/ });
  const mixed = await post(url, { resolve: resolving([ipv4('127.0.0.1'), ipv4('10.0.0.1')]) });
  t.match(mixed, { status: null, error: /the address 10.0.0.1 is not public/ }, 'one of several');
  t.match(await post(url, { resolve: resolving([]) }), { error: /has no address/ });
  t.strictSame(receiver.received, []);
  // The second answer of the resolver would be refused: the checked one is used, and it is asked once.
  const rebinding = resolving([ipv4('127.0.0.1')], [ipv4('10.0.0.1')]);
  t.same(await post(url, { resolve: rebinding }), { status: 204, error: null });
  t.equal(rebinding.calls, 1);
  // A resolver that turns to a private address is refused at the next request.
  t.match(await post(url, { resolve: rebinding }), { error: /10.0.0.1 is not public/ });
  t.equal(receiver.received[0]?.headers.host, `receiver.example:${receiver.port}`);
  const named: AllowedTargets = { names: ['receiver.example'], networks: [] };
  t.same(await post(url, { allowed: named, resolve: resolving([ipv4('127.0.0.1')]) }), {
    status: 204,
    error: null,
  });
});

void test('a receiver that does not answer is given up, and a long answer is cut off', async (t) => {
  const silent = await rawServer(t, () => undefined);
  t.match(await post(silent, { limitMs: 300 }), { status: null, error: 'no response within 0.3 s' });
  const slowBody = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc');
  });
  t.match(await post(slowBody, { limitMs: 300 }), { status: 200, error: null }, 'its status counts');
  let written = 0;
  const endless = await rawServer(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) written += 65_536;
    };
    socket.on('drain', more);
    more();
  });
  t.match(await post(endless), { status: 200, error: null });
  t.ok(written < 64 * 1024 * 1024, 'not everything was sent');
  const garbage = await rawServer(t, (socket) => socket.end('nonsense\r\n\r\n'));
  t.match(await post(garbage), { status: null, error: /./ });
  const closing = await rawServer(t, (socket) => socket.destroy());
  t.match(await post(closing), { status: null, error: /./ });
});

test('URLs without a public receiver are refused', (t) => {
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['nonsense', /must be a URL/],
    ['ftp://example.com/', /https:\/\/ or http:\/\//],
    ['file:///etc/passwd', /https:\/\/ or http:\/\//],
    ['https://user@example.com/', /user name/],
    ['https://user:pass@example.com/', /user name or password/],
    ['http://127.0.0.1/', /127.0.0.1 is not public/],
    ['http://127.1/', /127.0.0.1 is not public/],
    ['http://0x7f000001/', /127.0.0.1 is not public/],
    ['http://2130706433/', /127.0.0.1 is not public/],
    ['http://0177.0.0.1/', /127.0.0.1 is not public/],
    ['http://%31%32%37.0.0.1/', /127.0.0.1 is not public/],
    ['http://①②⑦.0.0.1/', /127.0.0.1 is not public/],
    ['http://[::1]/', /::1 is not public/],
    ['http://[::ffff:127.0.0.1]/', /is not public/],
    ['http://[64:ff9b::7f00:1]/', /is not public/],
    [`https://example.com/${'a'.repeat(2_050)}`, /at most 2048 characters/],
  ];
  for (const [url, reason] of wrong) t.match(targetUrlFault(url, NONE), reason, url.slice(0, 60));
  for (const url of ['https://example.com/hook?token=1', 'http://8.8.8.8:8080/'])
    t.equal(targetUrlFault(url, NONE), null, url);
  t.equal(targetUrlFault('http://127.0.0.1/', LOOPBACK), null);
  t.end();
});
