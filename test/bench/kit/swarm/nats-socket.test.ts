import fc from 'fast-check';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'tap';
import { NatsSocket } from '../../../../bench/kit/swarm/nats-socket.ts';

interface Heard {
  readonly subscription: number;
  readonly payload: string;
}

/** A server for one connection that sends the given chunks. */
async function connected(heard: (message: Heard) => void): Promise<{
  readonly server: Socket;
  readonly client: NatsSocket;
  readonly closed: Promise<Error | null>;
  readonly stop: () => void;
}> {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  let closed: (error: Error | null) => void = () => undefined;
  const gone = new Promise<Error | null>((resolve) => {
    closed = resolve;
  });
  const opening = NatsSocket.open(address.port, {
    message: (subscription, data, start, end) =>
      heard({ subscription, payload: data.toString('utf8', start, end) }),
    closed,
  });
  const [server] = (await once(listener, 'connection')) as [Socket];
  server.setNoDelay(true);
  server.write('INFO {"server_id":"x"}\r\n');
  server.write('PONG\r\n');
  const client = await opening;
  return {
    server,
    client,
    closed: gone,
    stop: () => {
      client.close();
      server.destroy();
      listener.close();
    },
  };
}

const message = fc.record({
  subscription: fc.integer({ min: 1, max: 12_345 }),
  reply: fc.constantFrom('', '_INBOX.x '),
  header: fc.constantFrom('', 'NATS/1.0\r\nA: b\r\n\r\n'),
  payload: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300, size: 'max' }),
    fc.constant('MSG x 1 3\r\nabc\r\n'),
  ),
});

test('returns complete messages, at any chunk boundary', async (t) => {
  let heard: Heard[] = [];
  let wanted = 0;
  let resolve: () => void = () => undefined;
  const parts = await connected((one) => {
    heard.push(one);
    if (heard.length === wanted) resolve();
  });
  t.teardown(parts.stop);
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { minLength: 1, maxLength: 8 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
      async (messages, cuts) => {
        heard = [];
        wanted = messages.length;
        const all = new Promise<void>((done) => {
          resolve = done;
        });
        const bytes = Buffer.concat(
          messages.map(({ subscription, reply, header, payload }) => {
            const size = Buffer.byteLength(payload);
            return Buffer.from(
              header === ''
                ? `MSG a.b ${subscription} ${reply}${size}\r\n${payload}\r\n`
                : `HMSG a.b ${subscription} ${reply}${header.length} ${header.length + size}\r\n${header}${payload}\r\n`,
            );
          }),
        );
        const places = cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b);
        let from = 0;
        for (const to of [...places, bytes.length]) {
          // Waits until a write has left, so that the other end may receive the next one separately.
          await new Promise<void>((left) => parts.server.write(bytes.subarray(from, to), () => left()));
          from = to;
        }
        await all;
        const expected = messages.map(({ subscription, payload }) => ({
          subscription,
          payload: Buffer.from(payload).toString(),
        }));
        return JSON.stringify(heard) === JSON.stringify(expected);
      },
    ),
    { numRuns: 200 },
  );
});

test('answers a PING, and reports why the server closed the connection', async (t) => {
  const { server, closed, stop } = await connected(() => undefined);
  t.teardown(stop);
  let said = '';
  const ponged = new Promise<void>((resolve) => {
    server.on('data', (data) => {
      said += data.toString();
      if (said.endsWith('PONG\r\n')) resolve();
    });
  });
  server.write('PING\r\n');
  await ponged;
  server.write("-ERR 'maximum connections exceeded'\r\n");
  t.match((await closed)?.message, /maximum connections exceeded/);
});
