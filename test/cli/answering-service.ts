import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service answers one request with. */
export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Break the connection after the body instead of ending the answer. */
  readonly breaks?: boolean;
  /** Send the body and neither end the answer nor break the connection. */
  readonly holds?: boolean;
  /** Cut the connection without an answer. */
  readonly cuts?: boolean;
}

export interface Request {
  readonly method: string;
  /** With its query. */
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
 * A service that knows answers and nothing else, so that a test of the commands sees exactly what they ask and what they
 * make of an answer. Answers to the same request are given in turn; the last one stays. What is not known gets 404.
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
