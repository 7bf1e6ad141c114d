import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, EXIT, ServiceAway, refusal } from './exit-codes.ts';
import { problemText } from './problem-text.ts';
import type { AnswerOf, CallArguments, Method, PathOf, Sent, StreamLines } from './rest-calls.ts';
import { waitOf } from './retry-after.ts';

/** A request with an answer must have it within this time; a stream may last. */
const ANSWER_MS_MAX = 60_000;

/** A command waits this long in all for one answer of a service that it asks too often. */
const RATE_LIMIT_MS_MAX = 60_000;

/** What fetch fails with when the request may have arrived: anything else has kept it from being sent. */
const LOST_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Comes last of a stream that was given up before its end. */
const CUT_OFF = 'cut off';

/** What the body of an answer fails with that nothing more has come of for minutes. */
const SILENT_CODE = 'UND_ERR_BODY_TIMEOUT';

/** How long a stream lasts, and who is told that it has begun. */
export interface StreamOptions {
  /** Milliseconds after which it ends; null when the service alone ends it. */
  readonly endsAfterMs: number | null;
  /** Called when the service has answered, before the first line. */
  readonly opened?: () => void;
}

/** An answer with the tag that names its state. */
export interface TaggedAnswer<Body> {
  /** Null when the service gave none. */
  readonly etag: string | null;
  readonly body: Body;
}

interface TextAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The REST API of one service, by built-in fetch. Every failure is a CommandError with its exit status. */
export class RestClient {
  readonly #base: string;
  readonly #credentials: Readonly<Record<string, string>>;

  /**
   * @param url address of the service, such as `http://127.0.0.1:8080`
   * @param apiKey sent with every request when it is given
   */
  constructor(url: string, apiKey: string | null = null) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new CommandError(
        EXIT.usage,
        `--url: must be an http or https address, got ${JSON.stringify(url)}`,
      );
    }
    if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new CommandError(EXIT.usage, '--api-key: must be printable ASCII without spaces');
    }
    this.#base = url.replace(/\/+$/, '');
    this.#credentials = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  }

  get url(): string {
    return this.#base;
  }

  /** Calls an operation and gives what it answers; undefined when it answers without content. */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[given]: CallArguments<M, P>
  ): Promise<AnswerOf<M, P>> {
    const { text } = await this.#answer(method, path, given);
    return this.#parsed<AnswerOf<M, P>>(text);
  }

  /** The answer to a GET, or null while it is the one that has the tag. */
  async ifChanged<P extends PathOf<'get'>>(
    etag: string | null,
    path: P,
    ...[given]: CallArguments<'get', P>
  ): Promise<TaggedAnswer<AnswerOf<'get', P>> | null> {
    const headers = { ...given?.headers, 'If-None-Match': etag ?? undefined };
    const { status, headers: answered, text } = await this.#answer('get', path, { ...given, headers });
    if (status === 304) return null;
    return { etag: answered.get('etag'), body: this.#parsed<AnswerOf<'get', P>>(text) };
  }

  /**
   * The whole lines of a stream of newline-delimited JSON, until the service ends it, its time is over, or it has been silent
   * for minutes. Whoever needs all that it may bring asks again behind the last line.
   */
  async *stream<P extends keyof StreamLines>(
    path: P,
    { endsAfterMs, opened }: StreamOptions,
    ...[given]: CallArguments<'get', P>
  ): AsyncGenerator<StreamLines[P]> {
    const response = await this.#response('get', path, given, endsAfterMs);
    opened?.();
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of this.#bytesOf(response)) {
      if (bytes === CUT_OFF) return;
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') yield this.#parsed<StreamLines[P]>(line);
    }
    if (rest.trim() !== '') yield this.#parsed<StreamLines[P]>(rest);
  }

  async *#bytesOf(response: Response): AsyncGenerator<Uint8Array | typeof CUT_OFF> {
    try {
      for await (const bytes of response.body ?? []) yield bytes as Uint8Array;
    } catch (error) {
      const isOver = error instanceof Error && error.name === 'TimeoutError';
      if (!isOver && causeCodeOf(error) !== SILENT_CODE)
        throw new ServiceAway(`the stream from ${this.#base} broke: ${causeOf(error)}`, true);
      yield CUT_OFF;
    }
  }

  /** The one place where the word of the contract is taken for what the service has answered. */
  #parsed<T>(text: string): T {
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      throw new CommandError(
        EXIT.failed,
        `the service at ${this.#base} answered what is no JSON: ${text.slice(0, 200)}`,
      );
    }
  }

  async #answer(method: Method, path: string, sent: Sent | undefined): Promise<TextAnswer> {
    const response = await this.#response(method, path, sent, ANSWER_MS_MAX);
    return { status: response.status, headers: response.headers, text: await this.#textOf(response) };
  }

  /** A success, or 304. */
  async #response(
    method: Method,
    path: string,
    sent: Sent = {},
    timeoutMs: number | null,
  ): Promise<Response> {
    const url = this.#urlOf(path, sent);
    const init = this.#initOf(method, sent);
    for (let waitedMs = 0; ;) {
      const response = await this.#fetch(url, init, timeoutMs);
      if (response.ok || response.status === 304) return response;
      const text = await this.#textOf(response);
      const waitMs = waitOf(response);
      waitedMs += waitMs ?? 0;
      if (waitMs === null || waitedMs > RATE_LIMIT_MS_MAX)
        throw refusal(response.status, problemText(response.status, text));
      await delay(waitMs);
    }
  }

  #urlOf(path: string, { path: values = {}, query = {} }: Sent): URL {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
    const url = new URL(`${this.#base}/api/v1${filled}`);
    for (const [name, value] of queryEntries(query)) url.searchParams.append(name, value);
    return url;
  }

  #initOf(method: Method, { headers = {}, body, document }: Sent): RequestInit {
    const given = Object.fromEntries(headerEntries(headers));
    const sent = body === undefined ? document : { type: 'application/json', text: JSON.stringify(body) };
    const type = sent === undefined ? {} : { 'content-type': sent.type };
    return {
      method: method.toUpperCase(),
      headers: { ...this.#credentials, ...given, ...type },
      ...(sent === undefined ? {} : { body: sent.text }),
    };
  }

  async #fetch(url: URL, init: RequestInit, timeoutMs: number | null): Promise<Response> {
    try {
      return await fetch(url, {
        ...init,
        ...(timeoutMs === null ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
      });
    } catch (error) {
      throw this.#away(error);
    }
  }

  async #textOf(response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#away(error);
    }
  }

  #away(error: unknown): ServiceAway {
    return new ServiceAway(
      `the service at ${this.#base} cannot be reached: ${causeOf(error)}`,
      isAnswerLost(error),
    );
  }
}

/** A list is a parameter for each item, and a map one for each member. */
function* queryEntries(query: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (Array.isArray(value)) for (const item of value as readonly unknown[]) yield* entry(name, item);
    else if (typeof value === 'object' && value !== null) yield* queryEntries(value);
    else yield* entry(name, value);
  }
}

function* headerEntries(headers: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) yield* entry(name, value);
}

/** The contract types what is sent; what is undefined is not sent. */
function* entry(name: string, value: unknown): Generator<[string, string]> {
  if (typeof value === 'string') yield [name, value];
  else if (typeof value === 'number' || typeof value === 'boolean') yield [name, String(value)];
  else if (value !== undefined) throw new TypeError(`${name} cannot be sent`);
}

function isAnswerLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || LOST_CODES.has(causeCodeOf(error));
}

/** The code of what has made fetch fail, empty when there is none. */
function causeCodeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** fetch says only "fetch failed"; the reason is in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message !== '' ? cause.message : 'code' in cause ? String(cause.code) : cause.name;
}
