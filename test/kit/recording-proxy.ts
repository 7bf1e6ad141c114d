import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/** One HTTP exchange. */
export interface Exchange {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly target: string;
  readonly requestHeaders: readonly HeaderLine[];
  readonly requestBody: string;
  readonly status: number;
  readonly answerHeaders: readonly HeaderLine[];
  /** Decoded body, without content encoding. */
  readonly answerBody: string;
}

/** Header names in lower case, with values. */
export type HeaderLine = readonly [name: string, value: string];

export interface RecordingProxy {
  readonly url: string;
  /** Exchanges in the order in which they ended. */
  readonly exchanges: readonly Exchange[];
  /** Closes the connection of the next request with that method and path instead of forwarding its response. */
  loseNextAnswer(method: string, path: string): void;
  close(): Promise<void>;
}

const headersOf = ({ rawHeaders }: IncomingMessage): HeaderLine[] =>
  rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? ''] as const] : [],
  );

async function bytesOf(message: IncomingMessage, onPart: (part: Buffer) => void): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) {
    parts.push(part as Buffer);
    onPart(part as Buffer);
  }
  return Buffer.concat(parts);
}

/** Starts a proxy for a service on the loopback. It forwards all bytes and records the exchanges. */
export async function recordingProxy(servicePort: number): Promise<RecordingProxy> {
  const exchanges: Exchange[] = [];
  const losing = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: target = '' } = incoming;
    const relay = async (): Promise<void> => {
      const body = await bytesOf(incoming, () => {});
      const asked = httpRequest({
        host: '127.0.0.1',
        port: servicePort,
        method,
        path: target,
        headers: incoming.rawHeaders,
        setHost: false,
      });
      outgoing.on('close', () => asked.destroy());
      asked.end(body);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      const isLost = losing.delete(`${method} ${target.split('?')[0] ?? ''}`);
      if (!isLost) outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders).flushHeaders();
      const bytes = await bytesOf(answer, (part) => {
        if (!isLost) outgoing.write(part);
      });
      const isGzip = answer.headers['content-encoding'] === 'gzip';
      exchanges.push({
        method,
        target,
        requestHeaders: headersOf(incoming),
        requestBody: body.toString('utf8'),
        status: answer.statusCode ?? 0,
        answerHeaders: headersOf(answer),
        answerBody: (isGzip ? gunzipSync(bytes) : bytes).toString('utf8'),
      });
      if (isLost) incoming.socket.destroy();
      else outgoing.end();
    };
    // If the service is unreachable, the connection to the client is closed too.
    relay().catch(() => incoming.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    loseNextAnswer: (method, path) => void losing.add(`${method} ${path}`),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
