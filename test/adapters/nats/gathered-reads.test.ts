import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { connect, NatsConnectionImpl, type NatsConnection } from '@nats-io/transport-node';
import { test, type Test } from 'tap';
import { serverCertificate } from '../../../src/adapters/nats/authority/certificates.ts';
import { gatherReads } from '../../../src/adapters/nats/gathered-reads.ts';

const HOST = '127.0.0.1';
const MESSAGES = 40;
const NUMBERS = Array.from({ length: MESSAGES }, (_unused, index) => index);

/** Passes the output of TLS to a socket, and can hold it back. */
class Wire extends Duplex {
  readonly #socket: Socket;
  #held: Buffer[] | null = null;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (data) => this.push(data));
    socket.on('close', () => this.push(null));
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    this.#socket.write(Buffer.concat(held));
  }

  override _read(): void {
    // Data of the socket is pushed as it comes.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#held === null) this.#socket.write(chunk, done);
    else {
      this.#held.push(chunk);
      done();
    }
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }
}

interface ConnectedClient {
  readonly nc: NatsConnection;
  /** Sends each text as a message to subscription 1 in a record of its own; all records in one write. */
  readonly send: (texts: readonly string[]) => Promise<void>;
  /** Ends the connection after what was sent. */
  readonly end: () => void;
}

/** Connects the client to a server that only greets, encrypts if `isTls`, and answers pings. */
async function connected(t: Test, isTls: boolean): Promise<ConnectedClient> {
  const { certFile, keyFile, caPem } = await serverCertificate(t.testdir(), [HOST, 'localhost'], Date.now());
  const secureContext = createSecureContext({ cert: await readFile(certFile), key: await readFile(keyFile) });
  let peer: { readonly wire: Wire; readonly used: Duplex } | null = null;
  const server = createServer((plain) => {
    plain.on('error', () => undefined);
    const info = { server_id: 'S', version: '2.10.0', max_payload: 1_048_576, tls_required: isTls };
    plain.write(`INFO ${JSON.stringify(info)}\r\n`);
    const wire = new Wire(plain);
    const used = isTls ? new TLSSocket(wire, { isServer: true, secureContext }) : wire;
    used.on('error', () => undefined);
    used.on('data', (data: Buffer) => {
      for (const _ of data.toString().matchAll(/^PING\r\n/gm)) used.write('PONG\r\n');
    });
    peer = { wire, used };
  });
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const nc = await connect({
    servers: [`${HOST}:${port}`],
    reconnect: false,
    ...(isTls ? { tls: { ca: caPem } } : {}),
  });
  t.teardown(async () => {
    await nc.close();
    server.close();
  });
  return {
    nc,
    async send(texts) {
      if (peer === null) throw new Error('the client has not connected');
      const { wire, used } = peer;
      wire.hold();
      for (const text of texts)
        await new Promise((resolve) => used.write(`MSG a 1 ${text.length}\r\n${text}\r\n`, resolve));
      wire.release();
    },
    end: () => peer?.used.end(),
  };
}

/** Collects the messages of the client's first subscription, by the turns of microtasks in which they were processed. */
function turnsOf(nc: NatsConnection): string[][] {
  const turns: string[][] = [];
  let isNewTurn = true;
  nc.subscribe('a', {
    callback: (_error, message) => {
      if (isNewTurn) {
        turns.push([]);
        isNewTurn = false;
        setImmediate(() => {
          isNewTurn = true;
        });
        process.nextTick(() => {
          isNewTurn = true;
        });
      }
      turns.at(-1)?.push(message.string());
    },
  });
  return turns;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const texts = NUMBERS.map((number) => `message ${number}`);

test('the client has the internal members that the port uses', async (t) => {
  const { nc } = await connected(t, true);
  t.ok(nc instanceof NatsConnectionImpl, 'connect() returns a NatsConnectionImpl');
  if (!(nc instanceof NatsConnectionImpl)) return;
  const socket: unknown = Reflect.get(nc.protocol.transport, 'socket');
  t.ok(socket instanceof TLSSocket, 'the socket is encrypted');
  if (socket instanceof TLSSocket) t.equal(socket.listenerCount('data'), 1, 'which is read by one listener');
});

test('records that arrive together are processed in one turn, in order', async (t) => {
  const { nc, send } = await connected(t, true);
  gatherReads(nc);
  const turns = turnsOf(nc);
  await nc.flush();
  await send(texts);
  await until(() => turns.flat().length === MESSAGES);
  t.same(turns, [texts]);
  const long = ['x'.repeat(100_000), 'y'];
  await send(long);
  await until(() => turns.flat().length === MESSAGES + long.length);
  t.same(turns.flat().slice(MESSAGES), long, 'a message of several records and reads is whole');
});

test('without the port, each record is processed in a turn of its own', async (t) => {
  const { nc, send } = await connected(t, true);
  const turns = turnsOf(nc);
  await nc.flush();
  await send(texts);
  await until(() => turns.flat().length === MESSAGES);
  t.equal(turns.length, MESSAGES, 'otherwise the port is no longer needed');
});

test('what arrives with the end of the connection is processed before it', async (t) => {
  const { nc, send, end } = await connected(t, true);
  gatherReads(nc);
  const turns = turnsOf(nc);
  await nc.flush();
  await send(texts);
  end();
  await nc.closed();
  t.same(turns.flat(), texts);
});

test('a connection without TLS stays as it is', async (t) => {
  const { nc, send } = await connected(t, false);
  gatherReads(nc);
  const turns = turnsOf(nc);
  await nc.flush();
  await send(texts);
  await until(() => turns.flat().length === MESSAGES);
  t.same(turns.flat(), texts);
});

test('another connection class is rejected', (t) => {
  t.throws(() => gatherReads({} as NatsConnection), /NodeTransport with socket/);
  t.end();
});
