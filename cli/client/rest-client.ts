import { serviceAddresses } from '../../client/addresses.ts';
import { isConnectionRefused } from '../../client/fetch-faults.ts';
import type { HttpFetch } from '../../client/http-fetch.ts';
import { ProblemError, ServiceUnreachable, UnreadableAnswer } from '../../client/problem.ts';
import { Rest, type AnswerWithHeaders, type StreamOptions, type TaggedAnswer } from '../../client/rest.ts';
import type { AnswerOf, CallArguments, Method, PathOf, StreamLines } from '../../client/rest-calls.ts';
import { CommandError, EXIT, ServiceUnavailable, errorForStatus } from '../terminal/exit-codes.ts';
import { createNodeFetch } from './node-fetch.ts';
import { problemText } from './problem-text.ts';

/** Where the API key of a command comes from: `--api-key` or `SVC_API_KEY`, a context, or `callsheet login`. */
export type KeySource = 'given' | 'context' | 'stored';

/** API key of a command. */
export interface CommandKey {
  readonly key: string;
  readonly source: KeySource;
}

/** Throws a usage error if a text is not the address of a service, or several addresses separated by commas. */
export function checkUrl(url: string): void {
  const addresses = serviceAddresses(url);
  const wrong = addresses.find(
    (address) => !URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol),
  );
  if (addresses.length > 0 && wrong === undefined) return;
  throw new CommandError(
    EXIT.usage,
    `--url: must be an http or https address, got ${JSON.stringify(wrong ?? url)}`,
  );
}

/** Client of the REST API of a service. Every failure is a CommandError with its exit status. */
export class RestClient {
  readonly #rest: Rest;
  readonly #keySource: KeySource | null;

  /**
   * @param url address of the service, such as `http://127.0.0.1:8080`
   * @param apiKey sent with every request when it is given
   * @param fetch sends the requests
   */
  constructor(url: string, apiKey: CommandKey | null = null, fetch: HttpFetch = createNodeFetch()) {
    checkUrl(url);
    if (apiKey !== null && !/^[\x21-\x7e]+$/.test(apiKey.key)) {
      throw new CommandError(EXIT.usage, '--api-key: must be printable ASCII without spaces');
    }
    this.#rest = new Rest({ base: url, fetch, ...(apiKey !== null && { apiKey: apiKey.key }) });
    this.#keySource = apiKey?.source ?? null;
  }

  get url(): string {
    return this.#rest.base;
  }

  /** The first of the addresses. */
  get firstUrl(): string {
    return this.#rest.first;
  }

  /** See `call` of `Rest`. */
  call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...given: CallArguments<M, P>
  ): Promise<AnswerOf<M, P>> {
    return this.#asCommand(this.#rest.call(method, path, ...given));
  }

  /** See `callWithHeaders` of `Rest`. */
  callWithHeaders<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...given: CallArguments<M, P>
  ): Promise<AnswerWithHeaders<AnswerOf<M, P>>> {
    return this.#asCommand(this.#rest.callWithHeaders(method, path, ...given));
  }

  /** See `ifChanged` of `Rest`. */
  ifChanged<P extends PathOf<'get'>>(
    etag: string | null,
    path: P,
    ...given: CallArguments<'get', P>
  ): Promise<TaggedAnswer<AnswerOf<'get', P>> | null> {
    return this.#asCommand(this.#rest.ifChanged(etag, path, ...given));
  }

  /** See `stream` of `Rest`. */
  async *stream<P extends keyof StreamLines>(
    path: P,
    options: StreamOptions,
    ...given: CallArguments<'get', P>
  ): AsyncGenerator<StreamLines[P]> {
    try {
      yield* this.#rest.stream(path, options, ...given);
    } catch (error) {
      throw this.#commandErrorOf(error);
    }
  }

  /** Runs requests of the client library. Their failures become a CommandError. */
  async run<T>(requests: (rest: Rest) => Promise<T>): Promise<T> {
    return this.#asCommand(requests(this.#rest));
  }

  async #asCommand<T>(request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      throw this.#commandErrorOf(error);
    }
  }

  #commandErrorOf(error: unknown): unknown {
    if (!(error instanceof ProblemError) || error.status !== 401) return commandErrorOf(error);
    return new CommandError(EXIT.forbidden, `${problemText(error)}\n${this.#signInHint()}`);
  }

  #signInHint(): string {
    const login = `callsheet login --url ${this.url}`;
    switch (this.#keySource) {
      case null:
        return `You are not signed in: run ${login}, or set SVC_API_KEY.`;
      case 'given':
        return 'The API key is wrong, has expired or was revoked: create another one with callsheet keys create.';
      case 'context':
        return 'The key of the context has expired or was revoked: run callsheet context add with another one.';
      case 'stored':
        return `The stored key has expired or was revoked: run ${login}.`;
    }
  }
}

const FORBIDDEN_HINT =
  'Your account may not do this: ask an administrator (callsheet whoami shows your role).';

const REFUSED_HINT =
  'No server listens there: start one with callsheet server, or name its address with --url, SVC_URL or callsheet context use.';

/**
 * Converts errors of a request to errors of a command. Other errors are bugs of this program and are returned
 * unchanged.
 */
function commandErrorOf(error: unknown): unknown {
  if (error instanceof ProblemError) {
    const hint = error.status === 403 ? `\n${FORBIDDEN_HINT}` : '';
    return errorForStatus(error.status, `${problemText(error)}${hint}`, { cause: error });
  }
  if (error instanceof ServiceUnreachable) {
    const hint = isConnectionRefused(error.cause) ? `\n${REFUSED_HINT}` : '';
    return new ServiceUnavailable(`${error.message}${hint}`, error.isAnswerLost);
  }
  if (error instanceof UnreadableAnswer) return new CommandError(EXIT.failed, error.message);
  return error;
}
