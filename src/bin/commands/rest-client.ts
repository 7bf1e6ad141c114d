import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, EXIT, exitCodeOf } from './exit-codes.ts';

/** A request with an answer must have it within this time; a stream may last. */
const ANSWER_MS_MAX = 60_000;

/** A command waits this long in all for one answer of a service that it asks too often. */
const RATE_LIMIT_MS_MAX = 60_000;

type QueryValue = string | number | readonly string[] | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** What the body of a problem (RFC 7807) may hold; nothing of it is relied upon. */
interface ProblemBody {
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly errors?: unknown;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

function pointedLine(error: Readonly<Record<string, unknown>>): string {
  const { pointer, detail, line, column } = error;
  const place =
    typeof line === 'number' ? ` (line ${line}, column ${typeof column === 'number' ? column : 1})` : '';
  // An empty pointer means the whole document.
  const where = pointer === '' || pointer === undefined ? '' : `${textOf(pointer)}: `;
  return `  ${where}${textOf(detail)}${place}`;
}

/** A problem body as lines: the title with its detail, or with a line for each pointed error. */
function problemText(status: number, body: string): string {
  let problem: ProblemBody;
  try {
    problem = (JSON.parse(body) ?? {}) as ProblemBody;
  } catch {
    return `the service answered ${status}: ${body.slice(0, 200)}`;
  }
  const title = typeof problem.title === 'string' ? problem.title : `status ${status}`;
  const errors = Array.isArray(problem.errors) ? (problem.errors as Readonly<Record<string, unknown>>[]) : [];
  if (errors.length > 0) return [`${title}:`, ...errors.map(pointedLine)].join('\n');
  return typeof problem.detail === 'string' && problem.detail !== '' ? `${title}: ${problem.detail}` : title;
}

/** The REST API of one service, by built-in fetch. Every failure is a CommandError with its exit status. */
export class RestClient {
  readonly #base: string;

  /** @param url address of the service, such as `http://127.0.0.1:8080` */
  constructor(url: string) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new CommandError(
        EXIT.usage,
        `--url: must be an http or https address, got ${JSON.stringify(url)}`,
      );
    }
    this.#base = url.replace(/\/+$/, '');
  }

  get url(): string {
    return this.#base;
  }

  /** The JSON that a GET gives; the contract says that it is a T. */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await (await this.#fetch('GET', path, query)).json()) as T;
  }

  /** The JSON that a POST gives, or null when it gives no content. */
  async post<T>(
    path: string,
    query: Query,
    body?: { readonly type: string; readonly text: string },
  ): Promise<T | null> {
    const response = await this.#fetch('POST', path, query, body);
    return response.status === 204 ? null : ((await response.json()) as T);
  }

  postJson<T>(path: string, body: unknown): Promise<T | null> {
    return this.post(path, {}, { type: 'application/json', text: JSON.stringify(body) });
  }

  /** The JSON that a PATCH gives. */
  patchJson<T>(path: string, body: unknown): Promise<T> {
    return this.#changed<T>('PATCH', path, body);
  }

  /** The JSON that a PUT gives. */
  putJson<T>(path: string, body: unknown): Promise<T> {
    return this.#changed<T>('PUT', path, body);
  }

  async #changed<T>(method: string, path: string, body: unknown): Promise<T> {
    const sent = { type: 'application/json', text: JSON.stringify(body) };
    return (await (await this.#fetch(method, path, {}, sent)).json()) as T;
  }

  /** A DELETE, which gives no content. */
  async delete(path: string): Promise<void> {
    await this.#fetch('DELETE', path, {});
  }

  /** The lines of a stream of newline-delimited JSON, until the service ends it. */
  async *stream<T>(path: string, query: Query): AsyncGenerator<T> {
    const response = await this.#fetch('GET', path, query, undefined, null);
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const bytes of response.body ?? []) {
        const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as T;
      }
    } catch (error) {
      throw new CommandError(EXIT.unavailable, `the stream from ${this.#base} broke: ${causeOf(error)}`);
    }
    if (rest.trim() !== '') yield JSON.parse(rest) as T;
  }

  async #fetch(
    method: string,
    path: string,
    query: Query,
    body?: { readonly type: string; readonly text: string },
    timeoutMs: number | null = ANSWER_MS_MAX,
  ): Promise<Response> {
    const url = new URL(`${this.#base}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const one of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) {
        url.searchParams.append(name, one);
      }
    }
    const init = {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': body.type }, body: body.text }),
    };
    for (let waitedMs = 0; ;) {
      const response = await this.#answerTo(url, init, timeoutMs);
      if (response.ok) return response;
      const text = await response.text();
      const waitMs = waitOf(response);
      waitedMs += waitMs ?? 0;
      if (waitMs === null || waitedMs > RATE_LIMIT_MS_MAX)
        throw new CommandError(exitCodeOf(response.status), problemText(response.status, text));
      await delay(waitMs);
    }
  }

  async #answerTo(url: URL, init: RequestInit, timeoutMs: number | null): Promise<Response> {
    try {
      return await fetch(url, {
        ...init,
        ...(timeoutMs === null ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
      });
    } catch (error) {
      throw new CommandError(
        EXIT.unavailable,
        `the service at ${this.#base} cannot be reached: ${causeOf(error)}`,
      );
    }
  }
}

/** In how many milliseconds a service that was asked too often wants to be asked again; null when it is not that. */
function waitOf(response: Response): number | null {
  const seconds = response.headers.get('retry-after') ?? '';
  return response.status === 429 && /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}

/** fetch says only "fetch failed"; the reason is in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message !== '' ? cause.message : 'code' in cause ? String(cause.code) : cause.name;
}
