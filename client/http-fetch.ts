/**
 * The parts of fetch that clients of the service use. In a page, it is the one of the browser. The command has one of its
 * own that loads less (cli/client/node-fetch.ts).
 */

/** Request as fetch takes it. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Set if a redirect is an error; else it is followed. */
  readonly redirect?: 'error';
  readonly signal?: AbortSignal;
}

export interface HttpHeaders {
  /** Returns the value of a header, case-insensitively; null if there is none. */
  readonly get: (name: string) => string | null;
  /** Returns the values of `Set-Cookie`. */
  readonly getSetCookie: () => string[];
}

export interface HttpAnswer {
  /** True for a status from 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly text: () => Promise<string>;
}

/**
 * Resolves when the status and headers of the response have come. Rejects with the reason of the signal if it aborts, else
 * with an error whose cause says why there is no response.
 */
export type HttpFetch = (address: URL, request: HttpRequest) => Promise<HttpAnswer>;
