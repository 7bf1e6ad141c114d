import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { checkAnswer, type Answer } from './contract-check.ts';

export interface Sent {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Sends HTTP requests to the fixture and checks every response against the contract. */
export class Client {
  readonly port: number;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(port: number) {
    this.port = port;
  }

  close(): void {
    this.#agent.destroy();
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.send('GET', path, { headers });
  }

  json(method: string, path: string, body: unknown): Promise<Answer> {
    return this.send(method, path, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const message = await this.open(method, path, sent);
    message.setEncoding('utf8');
    let text = '';
    for await (const chunk of message) text += String(chunk);
    const answer: Answer = {
      status: message.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
      ),
      text,
      body: parsed(text),
    };
    checkAnswer(method, path, answer);
    return answer;
  }

  /** Starts a request; resolves with the response when its headers arrive. */
  open(method: string, path: string, sent: Sent = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { headers = {}, body } = sent;
      const outgoing = httpRequest(
        { host: '127.0.0.1', port: this.port, method, path, headers, agent: this.#agent },
        resolve,
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Sends bytes unchanged. Resolves with everything received until the server closes the connection. */
  raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.write(bytes);
      });
      let received = '';
      socket.setEncoding('latin1');
      socket.on('data', (data) => {
        received += String(data);
      });
      socket.on('error', reject);
      socket.on('close', () => {
        resolve(received);
      });
    });
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
