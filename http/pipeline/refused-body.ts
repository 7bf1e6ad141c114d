import type { Problem } from '../../src/core/problems.ts';
import type { BodyShare } from '../guards/body-budget.ts';
import { problemResponse } from '../problems.ts';
import type { BodyReader } from './body.ts';
import type { BodyRead, Header, HttpResponse } from './message.ts';

/** `Retry-After` of a request whose body does not fit the memory for bodies now. */
const RETRY_SOON: readonly Header[] = [['Retry-After', '1']];

/** Returns the response to a request whose body was not read to its end. The connection is closed. */
export function refusedBody(
  reason: Extract<BodyRead, { readonly ok: false }>['reason'],
  share: BodyShare,
  { maxBytes }: BodyReader,
  requestId: string,
): HttpResponse {
  const refuse = (problem: Problem, headers: readonly Header[] = []): HttpResponse =>
    problemResponse(problem, requestId, headers, true);
  switch (reason) {
    case 'too-large':
      return refuse({ kind: 'too-large', detail: `the request body exceeds ${maxBytes} bytes` });
    case 'malformed':
      return refuse({ kind: 'bad-request', detail: 'the chunks of the request body are malformed' });
    case 'aborted':
      return refuse({ kind: 'bad-request', detail: 'the request body ended early' });
    case 'no-memory': {
      const detail =
        share.exceeded === 'client'
          ? 'the requests of this address in progress have too many bytes (http.body_bytes_per_client); retry when some have ended'
          : 'the requests in progress have too many bytes (http.body_bytes); retry in a moment';
      const kind = share.exceeded === 'client' ? 'too-many-requests' : 'unavailable';
      return refuse({ kind, detail }, RETRY_SOON);
    }
  }
}
