import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: string;
}

export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** Returns the bytes of a request. Nothing is added or checked; the connection ends with the answer. */
export function rawRequest(method: string, path: string, headers: RawHeaders, body = ''): string {
  const length = body === '' ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const];
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Sends bytes on a connection of their own. Resolves with the first answer; null if the service closes the connection
 * without one. `endsAfter` closes the sending side, so that the service does not wait for more.
 */
export function exchange(
  port: number,
  bytes: string | Buffer,
  { endsAfter = false }: { readonly endsAfter?: boolean } = {},
): Promise<RawAnswer | null> {
  return new Promise((resolve, reject) => {
    let received = '';
    const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes;
    const isHead = sent.toString('latin1', 0, 5) === 'HEAD ';
    const finish = (answer: RawAnswer | null): void => {
      resolve(answer);
      socket.destroy();
    };
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(sent);
      if (endsAfter) socket.end();
    });
    socket.setEncoding('latin1');
    socket.on('data', (data) => {
      received += String(data);
      const answer = answerOf(received, isHead);
      if (answer !== null) finish(answer);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish(null);
      else reject(error);
    });
    socket.on('close', () => finish(null));
  });
}

/** Returns the first answer in the received bytes; null if it is not complete. An answer to HEAD has no body. */
function answerOf(received: string, isHead: boolean): RawAnswer | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = received.slice(0, end);
  const status = Number(head.split(' ', 2)[1]);
  const body = received.slice(end + 4);
  const length =
    isHead || status === 101 || status === 204 ? 0 : Number(headerOf(head, 'content-length') ?? Infinity);
  return body.length >= length ? { status, head, body: body.slice(0, length) } : null;
}

/** Returns the value of a header in the head of an answer. */
export const headerOf = (head: string, name: string): string | undefined =>
  new RegExp(`^${name}: *(.*?) *$`, 'im').exec(head)?.[1];
