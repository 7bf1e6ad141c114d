import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** A request that a receiver got. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: WebhookBody;
}

/** Fields of the body `generic` that tests read. */
export interface WebhookBody {
  readonly id: string;
  readonly type: string;
  readonly summary: string;
  readonly missed_before: number;
  readonly job: { readonly id: string; readonly name: string; readonly owner: string } | null;
  readonly worker: { readonly name: string; readonly departed: boolean } | null;
}

/** Response to a webhook. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** A receiver of webhooks on the loopback interface. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  answer: (request: ReceivedWebhook) => WebhookAnswer = () => ({ status: 204 });
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts a receiver; 0 is a free port. */
  static async start(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        const received = {
          path: request.url ?? '',
          headers: request.headers,
          text,
          body: JSON.parse(text) as WebhookBody,
        };
        receiver.received.push(received);
        const { status, headers = {}, text: answer = '' } = receiver.answer(received);
        response.writeHead(status, headers).end(answer);
      });
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
    return address.port;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}

/** Reports whether a request is signed with a key, as docs/webhooks.md#signature shows. */
export function isSigned({ headers, text }: ReceivedWebhook, secret: string): boolean {
  const [time = '', ...signatures] = String(headers['x-callsheet-signature']).split(',');
  const expected = createHmac('sha256', secret)
    .update(`${time.slice('t='.length)}.${text}`)
    .digest('hex');
  return signatures.includes(`v1=${expected}`);
}
