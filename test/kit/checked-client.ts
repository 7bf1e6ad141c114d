import { checkAnswer, type Answer } from '../http/kit/contract-check.ts';

export interface Asked {
  /** Objects are sent as JSON; strings and bytes are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests to a running service and validates every exchange against the OpenAPI document. */
export class CheckedClient {
  readonly url: string;

  /** `url` has no trailing slash. */
  constructor(url: string) {
    this.url = url;
  }

  async ask(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<Answer> {
    const isJson = body !== undefined && typeof body !== 'string';
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    });
    const text = await response.text();
    const given = Object.fromEntries(response.headers);
    const hasJson = text !== '' && /[/+]json$/.test(given['content-type'] ?? '');
    const answer: Answer = {
      status: response.status,
      headers: given,
      text,
      body: hasJson ? (JSON.parse(text) as unknown) : undefined,
    };
    checkAnswer(method, path.replace(/[?].*$/s, ''), answer);
    return answer;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.ask('GET', path, { headers });
  }

  /** Sends a GET request and returns its body. Throws unless it succeeds. */
  async read<Body>(path: string): Promise<Body> {
    const { status, body, text } = await this.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return body as Body;
  }

  /** Sends a request and returns its body. Throws unless it succeeds. */
  async must<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.ask(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as Body;
  }
}
