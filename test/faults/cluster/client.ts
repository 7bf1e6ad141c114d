/** Answer of a node. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The node says that it may not have the latest state (docs/visibility.md). */
  readonly isStale: boolean;
}

const STALE = 'callsheet-stale';

/** Sends one request. Returns null if no answer arrived in time: its outcome is unknown. */
export async function ask(
  url: string,
  { method = 'GET', body, key, timeoutMs = 5000 }: RequestParts = {},
): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isStale = response.headers.has(STALE);
    return { status: response.status, isStale, body: text === '' ? null : (JSON.parse(text) as unknown) };
  } catch {
    return null;
  }
}

interface RequestParts {
  readonly method?: string;
  readonly body?: object;
  readonly key?: string;
  readonly timeoutMs?: number;
}

/** Reports whether a request may succeed if it is sent again: the node could not decide it. */
export const mayRepeat = (answer: Answer | null): boolean =>
  answer === null || answer.status >= 500 || answer.status === 429;
