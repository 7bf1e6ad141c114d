import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { FarmClient } from '../kit/api-client.ts';
import { freePort, startService, type RunningService } from '../kit/daemons.ts';
import { WebSocketClient } from '../kit/web-socket.ts';

tap.setTimeout(240_000);

const MIB = 1024 * 1024;
const ENDLESS = 60;
const ENDLESS_BYTES = 15 * MIB;
const FRAMES = 126_000;
/** Frames that a client may send at once. */
const FRAMES_BURST = 2_000;

const folder = await mkdtemp(join(tmpdir(), 'callsheet-request-limits-'));
const place = { folder, httpPort: await freePort(), busPort: await freePort() };

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Sends a request from an address of the loopback network, on a connection of its own. */
function send(path: string, contentType: string, body: string, localAddress = '127.0.0.1'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(body) };
    const { httpPort: port } = place;
    const outgoing = request(
      { host: '127.0.0.1', port, method: 'POST', path, headers, localAddress, agent: false },
      (message) => {
        let text = '';
        message.setEncoding('utf8');
        message.on('data', (data) => {
          text += String(data);
        });
        message.on('error', reject);
        message.on('end', () => resolve({ status: message.statusCode ?? 0, text }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Returns the largest resident memory of the service so far, in MiB (Linux). */
function peakMib({ daemon }: RunningService): number {
  const status = readFileSync(`/proc/${daemon.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Small members, as many as fit. */
const members = (bytes: number): string => {
  const parts: string[] = [];
  for (let length = 0, n = 0; length < bytes - 32; n++) {
    const part = `"k${n.toString(36)}":1`;
    parts.push(part);
    length += part.length + 1;
  }
  return `{${parts.join(',')}}`;
};

const service = await startService({
  ...place,
  flags: [`--http-body-bytes=${48 * MIB}`, `--http-body-bytes-per-client=${32 * MIB}`],
});
tap.teardown(async () => {
  await service.daemon.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});
const farm = await service.api.makeFarm('limits');

const isReady = async (): Promise<boolean> => (await service.api.call('GET', '/readyz')).status === 200;

test('bodies of small members are refused before they are parsed', async (t) => {
  const before = peakMib(service);
  const large = members(MIB - 1024);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => send('/api/v1/jobs/bulk', 'application/json', large)),
  );
  for (const { status, text } of replies) {
    t.equal(status, 400);
    t.match(text, 'the body is larger than 10000 members and elements');
  }
  const medium = members(65_536 + 64);
  const farms = await send('/api/v1/farms', 'application/json', medium);
  t.equal(farms.status, 413);
  t.ok(peakMib(service) - before < 64, `${before} MiB before, ${peakMib(service)} MiB now`);
  t.ok(await isReady());
});

/** Sends the beginning of a large body. Resolves with a function that ends the body and returns the status. */
async function sendEndless(path: string): Promise<() => Promise<number>> {
  const socket = connect(place.httpPort, '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  const closed = once(socket, 'close');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/yaml\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const piece = Buffer.from(`${MIB.toString(16)}\r\n${'a'.repeat(MIB)}\r\n`);
  for (let sent = 0; sent < ENDLESS_BYTES; sent += MIB) {
    if (!socket.write(piece)) await once(socket, 'drain');
  }
  return async () => {
    socket.write('0\r\n\r\n');
    await closed;
    return Number(received.slice(9, 12));
  };
}

test('sixty bodies that do not end take the memory of the budget only', async (t) => {
  const before = peakMib(service);
  const path = `/api/v1/jobs?farm_id=${farm.farmId}&queue_id=${farm.queueId}`;
  const ends = await Promise.all(Array.from({ length: ENDLESS }, () => sendEndless(path)));
  t.ok(await isReady());
  t.ok(peakMib(service) - before < 250, `${before} MiB before, ${peakMib(service)} MiB now`);
  const statuses = await Promise.all(ends.map((end) => end()));
  const refused = statuses.filter((status) => status === 429);
  t.ok(refused.length >= ENDLESS - 2, `${statuses.join(' ')}: two bodies fit the share of the client`);
  t.ok(
    statuses.every((status) => status === 429 || status === 422),
    'each client receives a reply',
  );
});

test('a connection that floods the event channel is closed', async (t) => {
  const client = await WebSocketClient.open(place.httpPort);
  t.teardown(() => client.destroy());
  let isClosed = false;
  const closed = client.closed.then((closing) => {
    isClosed = true;
    return closing;
  });
  for (let frame = 0; frame < FRAMES && !isClosed; frame++) {
    client.send({ type: 'ping', seq: frame });
    if (frame % 1_000 === 999) await new Promise((resolve) => setImmediate(resolve));
  }
  t.strictSame(await closed, { code: 1008, reason: 'more than 100 frames per second' });
  t.ok(
    client.received.length < 2 * FRAMES_BURST,
    `${client.received.length} of ${FRAMES} frames are answered`,
  );
  t.ok(await isReady());
});

const head = 'specificationVersion: jobtemplate-2023-09\nextensions: [EXPR]\n';
const ORDINARY = `${head}name: ordinary
steps:
- name: A
  script: { actions: { onRun: { command: render, args: ["{{ 1 + 2 }}"] } } }
`;

/** A template of 600 KB whose expressions are each within their limit, and together take minutes. */
function expensiveTemplate(): string {
  const argument = (nth: number): string =>
    `"{{ sum([sum([b for b in range(200)]) for a in range(500)]) + ${nth} }}"`;
  const args = Array.from({ length: 90 }, (_unused, nth) => argument(nth)).join(', ');
  const step = (nth: number): string =>
    `- name: S${nth}\n  script: { actions: { onRun: { command: x, args: [${args}] } } }\n`;
  return `${head}name: expensive\nsteps:\n${Array.from({ length: 90 }, (_unused, nth) => step(nth)).join('')}`;
}

function submitPath({ farmId, queueId }: FarmClient): string {
  return `/api/v1/jobs?farm_id=${farmId}&queue_id=${queueId}`;
}

test('twenty expensive templates of one client do not starve those of another', async (t) => {
  const expensive = expensiveTemplate();
  t.ok(expensive.length > 550_000);
  const order: string[] = [];
  const submit = async (kind: string, text: string, from: string): Promise<Reply> => {
    const reply = await send(submitPath(farm), 'application/yaml', text, from);
    order.push(kind);
    return reply;
  };
  const expensiveReplies = Array.from({ length: 20 }, () => submit('expensive', expensive, '127.0.0.1'));
  await expensiveReplies[0];
  const ordinary = await Promise.all(
    Array.from({ length: 5 }, () => submit('ordinary', ORDINARY, '127.0.0.2')),
  );
  for (const { status } of ordinary) t.equal(status, 201);
  const replies = await Promise.all(expensiveReplies);
  // On a busy machine some wait so long that the service refuses them, as it says in the reply.
  const refused = replies.filter(({ status }) => status === 503);
  for (const { text } of refused) t.match(text, 'the service is busy with other templates');
  const read = replies.filter((reply) => !refused.includes(reply));
  t.ok(read.length > 0);
  for (const { status, text } of read) {
    t.equal(status, 422);
    t.match(text, 'need more than 10000000 operations together');
  }
  const last = order.lastIndexOf('ordinary');
  t.ok(
    order.slice(last).filter((kind) => kind === 'expensive').length >= 10,
    `they take turns: ${order.join(' ')}`,
  );
});
