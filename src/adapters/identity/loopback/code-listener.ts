import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Path to which the page sends the browser. */
const CALLBACK = '/callback';
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  Connection: 'close',
} as const;

/** Answer of the page: a code, or the refusal of the user. */
export type SentCode = { readonly code: string } | 'declined';

export interface CodeListener {
  readonly port: number;
  /** Resolves with the first valid request; rejects when the signal of `listenForCode` aborts. */
  readonly sent: Promise<SentCode>;
  /** Stops listening. Open answers finish. */
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 at a free port for the code of a sign-in (RFC 8252, section 7.3). A request counts if it is a GET of
 * the callback, names this address in `Host`, and has the state; any other gets 404.
 *
 * @param signal - Ends the wait, with its reason.
 */
export async function listenForCode(state: string, signal: AbortSignal): Promise<CodeListener> {
  const server = createServer({ maxHeaderSize: 8 * 1024, requestTimeout: 10_000 });
  const port = await listen(server);
  const sent = new Promise<SentCode>((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('the sign-in was interrupted'));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    server.on('request', (request, response) => {
      const found = sentBy(request, port, state);
      answer(response, found);
      if (found === null) return;
      signal.removeEventListener('abort', onAbort);
      resolve(found);
    });
  });
  return { port, sent, close: () => close(server) };
}

/** Returns what a request sends, or null if it is not the one that is awaited. */
function sentBy(request: IncomingMessage, port: number, state: string): SentCode | null {
  const host = `127.0.0.1:${port}`;
  if (request.method !== 'GET' || request.headers.host !== host) return null;
  const target = request.url ?? '';
  if (!target.startsWith('/') || !URL.canParse(target, `http://${host}`)) return null;
  const { pathname, searchParams } = new URL(target, `http://${host}`);
  const [given = '', ...more] = searchParams.getAll('state');
  if (pathname !== CALLBACK || more.length > 0 || !isEqual(given, state)) return null;
  const codes = searchParams.getAll('code');
  const [code = ''] = codes;
  if (codes.length === 1 && /^[A-Za-z0-9_-]{43}$/.test(code)) return { code };
  return searchParams.get('error') === 'declined' ? 'declined' : null;
}

const isEqual = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
};

function answer(response: ServerResponse, sent: SentCode | null): void {
  const text =
    sent === null
      ? 'Nothing here.'
      : sent === 'declined'
        ? 'The command was not signed in. You can close this page.'
        : 'The command is signed in. You can close this page and return to the terminal.';
  response.writeHead(sent === null ? 404 : 200, HEADERS);
  response.end(`<!doctype html><html lang="en"><title>Callsheet</title><p>${text}</p></html>\n`);
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the listener has no port'));
      else resolve(address.port);
    });
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeIdleConnections();
  });
