import { ProblemError, ServiceUnreachable, UnreadableAnswer } from '../../client/problem.ts';
import { Rest, type StreamOptions, type TaggedAnswer } from '../../client/rest.ts';
import type { AnswerOf, CallArguments, Method, PathOf, StreamLines } from '../../client/rest-calls.ts';
import { CommandError, EXIT, ServiceUnavailable, errorForStatus } from './exit-codes.ts';
import { problemText } from './problem-text.ts';

/** Client of the REST API of a service. Every failure is a CommandError with its exit status. */
export class RestClient {
  readonly #rest: Rest;

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
    this.#rest = new Rest({
      base: url,
      headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
    });
  }

  get url(): string {
    return this.#rest.base;
  }

  /** See `call` of `Rest`. */
  call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...given: CallArguments<M, P>
  ): Promise<AnswerOf<M, P>> {
    return asCommand(this.#rest.call(method, path, ...given));
  }

  /** See `ifChanged` of `Rest`. */
  ifChanged<P extends PathOf<'get'>>(
    etag: string | null,
    path: P,
    ...given: CallArguments<'get', P>
  ): Promise<TaggedAnswer<AnswerOf<'get', P>> | null> {
    return asCommand(this.#rest.ifChanged(etag, path, ...given));
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
      throw commandErrorOf(error);
    }
  }
}

async function asCommand<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw commandErrorOf(error);
  }
}

/**
 * Converts errors of a request to errors of a command. Other errors are bugs of this program and are returned
 * unchanged.
 */
function commandErrorOf(error: unknown): unknown {
  if (error instanceof ProblemError) return errorForStatus(error.status, problemText(error));
  if (error instanceof ServiceUnreachable) return new ServiceUnavailable(error.message, error.isAnswerLost);
  if (error instanceof UnreadableAnswer) return new CommandError(EXIT.failed, error.message);
  return error;
}
