/** Why fetch has failed. Node says it in the cause of the error; a browser says nothing, so that a script cannot look around. */

/** What fetch of Node fails with when the request may have arrived: anything else has kept it from being sent. */
const LOST_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** What the body of an answer fails with in Node that nothing more has come of for minutes. */
const SILENT_CODE = 'UND_ERR_BODY_TIMEOUT';

/** Whether the service may have done what was asked. */
export function isAnswerLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A browser does not tell whether the request has left.
  return isTimeout(error) || error.cause === undefined || LOST_CODES.has(causeCodeOf(error));
}

/** Whether a signal of AbortSignal.timeout has ended it. */
export const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** Whether a stream was given up because nothing has come for long. */
export const isSilence = (error: unknown): boolean => causeCodeOf(error) === SILENT_CODE;

/** fetch says only "fetch failed"; the reason is in the cause. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message !== '' ? cause.message : 'code' in cause ? String(cause.code) : cause.name;
}

/** The code of what has made fetch fail, empty when there is none. */
function causeCodeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
