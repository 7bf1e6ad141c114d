import { failoverFetch, serviceAddresses } from './addresses.ts';
import { causeOf, isAnswerLost, isSilence, isTimeout } from './fetch-faults.ts';
import type { HttpAnswer, HttpFetch, HttpHeaders } from './http-fetch.ts';
import { problemOf, ServiceUnreachable, UnreadableAnswer } from './problem.ts';
import { initOf, urlOf } from './request-parts.ts';
import type { AnswerOf, CallArguments, Method, PathOf, Sent, StreamLines } from './rest-calls.ts';
import { waitOf } from './retry-after.ts';

/** Timeout of a request; streams have no such limit. */
const ANSWER_MS_MAX = 60_000;

/** Maximum total wait of one call for the rate limit. */
const RATE_LIMIT_MS_MAX = 60_000;

/** Number of times that one call asks for a new sign-in. */
const SIGN_INS_MAX = 2;

const EXCERPT_CHARACTERS = 200;

/** Ends a stream that was cut off. */
const CUT_OFF = 'cut off';

export interface RestOptions {
  /**
   * Address of the service, for example `http://127.0.0.1:8080`; in a page `location.origin`. Of a cluster, the addresses of
   * its nodes, separated by commas: if one is unreachable or unavailable, the next one is used (docs/client-library.md#clusters).
   */
  readonly base: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** API key, sent with every request. In a page, the browser sends the session cookie instead. */
  readonly apiKey?: string;
  /** Sends the requests: the global fetch by default. */
  readonly fetch?: HttpFetch;
  /** Resolves after `ms` milliseconds; rejects with the reason of the signal if it aborts first. */
  readonly delay?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** Called before a call waits for the rate limit. */
  readonly onWaiting?: (ms: number) => void;
  /**
   * Called when a request gets 401, before the call fails; at most twice in a call. If the returned promise is true, the
   * request is repeated: the caller has signed in again. It should reject when the signal aborts.
   */
  readonly onUnauthorized?: (method: Method, signal: AbortSignal | undefined) => Promise<boolean>;
}

/** Duration of a stream, and callback for its start. */
export interface StreamOptions {
  /** Milliseconds after which the stream ends; null if only the service ends it. */
  readonly endsAfterMs: number | null;
  /** Called when the response starts, before the first line. */
  readonly opened?: () => void;
}

/** Response with its entity tag. */
export interface TaggedAnswer<Body> {
  /** Null if the response has no tag. */
  readonly etag: string | null;
  readonly body: Body;
}

/** Response with its headers. */
export interface AnswerWithHeaders<Body> {
  readonly headers: HttpHeaders;
  readonly body: Body;
}

interface TextAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
}

/**
 * REST API of one service, typed by its contract. Rejects with `ProblemError` for an error response,
 * `ServiceUnreachable` without a response, and `UnreadableAnswer` for a response that is not JSON. A call ended by
 * its `signal` rejects with the reason of the signal. A call that exceeds the rate limit waits as the response
 * demands, at most one minute in total.
 */
export class Rest {
  /** Addresses of the service, separated by commas, each without a trailing slash. */
  readonly base: string;
  /** The first address. */
  readonly first: string;
  readonly #options: RestOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: HttpFetch;
  readonly #delay: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly #onWaiting: (ms: number) => void;
  readonly #onUnauthorized: NonNullable<RestOptions['onUnauthorized']>;

  constructor(options: RestOptions) {
    const addresses = serviceAddresses(options.base);
    this.base = addresses.join(',');
    this.first = addresses[0] ?? '';
    this.#options = options;
    this.#headers = { ...options.headers, ...authorizationOf(options.apiKey) };
    // The fetch of a browser throws when it is called as a method of another object.
    this.#fetch = failoverFetch(addresses, options.fetch ?? ((address, request) => fetch(address, request)));
    this.#delay = options.delay ?? abortableDelay;
    this.#onWaiting = options.onWaiting ?? (() => undefined);
    this.#onUnauthorized = options.onUnauthorized ?? (() => Promise.resolve(false));
  }

  /** Calls an operation and returns the response; undefined if it has no content. */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[given]: CallArguments<M, P>
  ): Promise<AnswerOf<M, P>> {
    const { text } = await this.#answer(method, path, given);
    return this.#parsed<AnswerOf<M, P>>(text);
  }

  /** Calls an operation and returns the response with its headers. */
  async callWithHeaders<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[given]: CallArguments<M, P>
  ): Promise<AnswerWithHeaders<AnswerOf<M, P>>> {
    const { headers, text } = await this.#answer(method, path, given);
    return { headers, body: this.#parsed<AnswerOf<M, P>>(text) };
  }

  /** Returns a client of the same service that also sends these headers. */
  withHeaders(headers: Readonly<Record<string, string>>): Rest {
    return new Rest({ ...this.#options, headers: { ...this.#options.headers, ...headers } });
  }

  /** Returns the response to a GET, or null if it still has the given tag. */
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

  /** Returns the response to a GET as text, for example the template of a job. */
  async text<P extends PathOf<'get'>>(path: P, ...[given]: CallArguments<'get', P>): Promise<string> {
    return (await this.#answer('get', path, given)).text;
  }

  /** Returns the address of a GET, for a link: at the first node of a cluster. */
  url<P extends PathOf<'get'>>(path: P, ...[given]: CallArguments<'get', P>): URL {
    return urlOf(this.first, path, given ?? {});
  }

  /**
   * Yields the lines of a newline-delimited JSON stream until it ends, its time expires, or no data has arrived for
   * minutes. To continue, request the stream again after the last line.
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
    for await (const bytes of this.#bytesOf(response, given?.signal)) {
      if (bytes === CUT_OFF) return;
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') yield this.#parsed<StreamLines[P]>(line);
    }
    if (rest.trim() !== '') yield this.#parsed<StreamLines[P]>(rest);
  }

  async *#bytesOf(
    { body }: HttpAnswer,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array | typeof CUT_OFF> {
    if (body === null) return;
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isTimeout(error) && !isSilence(error)) {
        const message = `the stream from ${this.base} ended early: ${causeOf(error)}`;
        throw new ServiceUnreachable(message, true, { cause: error });
      }
      yield CUT_OFF;
    } finally {
      // Stops reading if the caller leaves early. For a failed stream, cancel repeats the same error.
      await reader.cancel().catch(() => undefined);
    }
  }

  /** The only place that trusts the contract for the type of a response. */
  #parsed<T>(text: string): T {
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch {
      const excerpt = text.slice(0, EXCERPT_CHARACTERS);
      throw new UnreadableAnswer(`the server at ${this.base} returned invalid JSON: ${excerpt}`);
    }
  }

  async #answer(method: Method, path: string, sent: Sent | undefined): Promise<TextAnswer> {
    const response = await this.#response(method, path, sent, ANSWER_MS_MAX);
    const text = await this.#reached(response.text(), sent?.signal);
    return { status: response.status, headers: response.headers, text };
  }

  /** Returns a successful response, or 304. */
  async #response(
    method: Method,
    path: string,
    sent: Sent = {},
    timeoutMs: number | null,
  ): Promise<HttpAnswer> {
    const url = urlOf(this.first, path, sent);
    const init = initOf(method, sent, this.#headers);
    for (let waitedMs = 0, signIns = 0; ;) {
      const signal = signalOf(sent.signal, timeoutMs);
      const asked = this.#fetch(url, { ...init, ...(signal !== undefined && { signal }) });
      const response = await this.#reached(asked, sent.signal);
      if (response.ok || response.status === 304) return response;
      const text = await this.#reached(response.text(), sent.signal);
      if (response.status === 401 && signIns < SIGN_INS_MAX) {
        signIns += 1;
        if (await this.#onUnauthorized(method, sent.signal)) continue;
      }
      const waitMs = waitOf(response);
      waitedMs += waitMs ?? 0;
      if (waitMs === null || waitedMs > RATE_LIMIT_MS_MAX) throw problemOf(response, text);
      this.#onWaiting(waitMs);
      await this.#delay(waitMs, sent.signal);
    }
  }

  async #reached<T>(asked: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      signal?.throwIfAborted();
      const message = `the server at ${this.base} cannot be reached: ${causeOf(error)}`;
      throw new ServiceUnreachable(message, isAnswerLost(error), { cause: error });
    }
  }
}

/** Returns the header that sends an API key; none without a key. */
export const authorizationOf = (apiKey: string | undefined): Readonly<Record<string, string>> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

function signalOf(signal: AbortSignal | undefined, timeoutMs: number | null): AbortSignal | undefined {
  if (timeoutMs === null) return signal;
  const timeout = AbortSignal.timeout(timeoutMs);
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
}

const abortableDelay = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    if (signal?.aborted === true) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
