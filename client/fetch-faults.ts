/**
 * Causes of fetch failures. Node reports them in the cause of the error; browsers report none, to protect the network
 * from scripts.
 */

/** Error codes of Node after which the request may have arrived. With all others it was not sent. */
const LOST_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Error code of Node for a response body without data for several minutes. */
const SILENT_CODE = 'UND_ERR_BODY_TIMEOUT';

/** Reports whether the service may have processed the request. */
export function isAnswerLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A browser does not report whether the request was sent.
  return isTimeout(error) || error.cause === undefined || LOST_CODES.has(causeCodeOf(error));
}

/** Reports whether AbortSignal.timeout has ended the request. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** Reports whether a stream ended because no data arrived. */
export const isSilence = (error: unknown): boolean => causeCodeOf(error) === SILENT_CODE;

/** Reports whether no process listens at the address. */
export const isConnectionRefused = (error: unknown): boolean => causeCodeOf(error) === 'ECONNREFUSED';

/** Returns the reason of a failure. fetch itself only reports "fetch failed". */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message !== '' ? cause.message : 'code' in cause ? String(cause.code) : cause.name;
}

/** Returns the error code of the cause; empty if there is none. */
function causeCodeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
