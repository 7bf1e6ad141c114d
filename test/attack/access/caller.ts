export interface Answered {
  readonly status: number;
  readonly text: string;
  /** The parsed body; empty if it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sends requests with fixed headers. */
export class Caller {
  readonly headers: Readonly<Record<string, string>>;
  readonly #url: string;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.headers = headers;
  }

  /** Sends a request; a body that is not a text is sent as JSON. */
  async send(
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : null;
    return { status: response.status, text, body: isObject(parsed) ? parsed : {}, headers: response.headers };
  }

  /** Sends a request that must succeed. */
  async must(
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const answered = await this.send(method, path, body, headers);
    if (answered.status < 400) return answered;
    throw new Error(`${method} ${path}: ${answered.status} ${answered.text}`);
  }

  /** Reads a JSON array. */
  async list(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { text } = await this.must('GET', path);
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed)) throw new Error(`${path} is not a list`);
    return parsed.filter(isObject);
  }
}

/** Returns a field of a response that must be a text. */
export function textOf(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`${name} is missing in ${JSON.stringify(body)}`);
  return value;
}

/** Returns the objects in a field of a response that must be a list. */
export function itemsOf(
  body: Readonly<Record<string, unknown>>,
  name = 'items',
): readonly Readonly<Record<string, unknown>>[] {
  const value = body[name];
  if (!Array.isArray(value)) throw new Error(`${name} is missing in ${JSON.stringify(body)}`);
  return value.filter(isObject);
}
