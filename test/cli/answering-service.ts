import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Response of the service to one request. */
export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Closes the connection after the body instead of ending the response. */
  readonly breaks?: boolean;
  /** Sends the body, then keeps the response open. */
  readonly holds?: boolean;
  /** Closes the connection without a response. */
  readonly cuts?: boolean;
}

export interface Request {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly type: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of message) body += String(part);
  return body;
}

/**
 * A stub service with fixed responses, so that a test sees exactly which requests a command sends and how it handles
 * the responses. Several responses to one request are sent in turn; the last one repeats. Other requests get 404.
 */
export async function answeringService(
  answers: Readonly<Record<string, readonly Answer[]>>,
): Promise<{ readonly url: string; readonly requests: Request[]; close(): Promise<void> }> {
  const requests: Request[] = [];
  const given = new Map<string, number>();
  const server = createServer((message, response) => {
    void bodyOf(message).then((body) => {
      const { method = '', url: path = '' } = message;
      requests.push({ method, path, type: message.headers['content-type'], headers: message.headers, body });
      const key = `${method} ${path.split('?')[0] ?? ''}`;
      const known = answers[key] ?? [{ status: 404, body: { title: 'Not Found', detail: `no ${key}` } }];
      const turn = given.get(key) ?? 0;
      given.set(key, turn + 1);
      const answer = known[Math.min(turn, known.length - 1)];
      response.statusCode = answer?.status ?? 200;
      for (const [name, value] of Object.entries(answer?.headers ?? {})) response.setHeader(name, value);
      const text = typeof answer?.body === 'string' ? answer.body : JSON.stringify(answer?.body);
      if (answer?.cuts === true) message.socket.destroy();
      else if (answer?.holds === true) response.write(text);
      else if (answer?.breaks === true) response.write(text, () => response.destroy());
      else response.end([204, 304].includes(response.statusCode) ? undefined : text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
