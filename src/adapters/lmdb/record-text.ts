import type { AttemptStatus } from '../../core/lifecycle/attempt-status.ts';
import type { AttemptRecord } from '../../core/records/attempt.ts';
import type { Change } from '../../core/records/change-set.ts';
import type { Booking, BookingRecord } from '../../core/records/worker.ts';
import type { RequireAllFields } from '../../core/records/require-all-fields.ts';

/**
 * Encodes the rows that every lease writes, as MessagePack that the general codec (value-codec.ts) reads: each is built
 * as one text whose characters are the bytes, and written in one call. Unusual rows are left to the general codec.
 */

const PLAIN = /^[ -~]*$/;
const FIXSTR_MAX = 31;
const STR8_MAX = 255;
const FIXINT_MAX = 127;
const UINT16_MAX = 65_535;
const FIXARRAY_MAX = 15;
const ARRAY16_MAX = 65_535;

/** Returns the row of a put as characters that represent bytes; null if the general codec must write it. */
export function recordText(change: Extract<Change, { op: 'put' }>): string | null {
  if (change.table === 'attempt') return attemptText(change.value);
  return change.table === 'booking' ? bookingText(change.value) : null;
}

type WholeAttempt = RequireAllFields<
  AttemptRecord,
  | 'version'
  | 'id'
  | 'attemptNumber'
  | 'status'
  | 'workerId'
  | 'startedAt'
  | 'endedAt'
  | 'exitCode'
  | 'maxRssMib'
  | 'cpuMs'
  | 'message'
  | 'failureExcerpt'
  | 'reclaimed'
  | 'rule'
  | 'preemption'
  | 'outage'
  | 'sessionId'
  | 'progress'
  | 'statusMessage'
>;

/** Number of fields of every attempt. */
const ATTEMPT_FIELDS = 8;

function attemptText(attempt: WholeAttempt): string | null {
  const { endedAt, exitCode, maxRssMib, cpuMs, message, sessionId } = attempt;
  if (message !== '' || attempt.progress !== undefined || attempt.statusMessage !== undefined) return null;
  if (attempt.failureExcerpt !== undefined || attempt.rule !== undefined) return null;
  if (attempt.preemption !== undefined || attempt.outage !== undefined) return null;
  if (attempt.reclaimed !== undefined || !isPlain(sessionId)) return null;
  let more = endedAt === undefined ? 0 : 1;
  if (exitCode !== undefined) more++;
  if (maxRssMib !== undefined) more++;
  if (cpuMs !== undefined) more++;
  const head = ATTEMPT_HEADS[more] ?? '';
  let text =
    head +
    stringText(attempt.id) +
    NAME.attemptNumber +
    numberText(attempt.attemptNumber) +
    STATUS_TEXTS[attempt.status] +
    stringText(attempt.workerId) +
    NAME.startedAt +
    numberText(attempt.startedAt);
  if (endedAt !== undefined) text += NAME.endedAt + numberText(endedAt);
  if (exitCode !== undefined) text += NAME.exitCode + numberText(exitCode);
  if (maxRssMib !== undefined) text += NAME.maxRssMib + numberText(maxRssMib);
  if (cpuMs !== undefined) text += NAME.cpuMs + numberText(cpuMs);
  return text + SESSION_HEAD + stringText(sessionId);
}

type WholeBooking = RequireAllFields<
  Booking,
  'attemptId' | 'cores' | 'amounts' | 'gpus' | 'policyVersion' | 'reason'
>;

function bookingText({
  bookings,
  exiting,
  ending,
}: RequireAllFields<BookingRecord, 'version' | 'bookings' | 'exiting' | 'ending'>): string | null {
  if (bookings.length > ARRAY16_MAX || exiting !== undefined || ending !== undefined) return null;
  let text = BOOKING_HEAD + arrayHead(bookings.length);
  for (const booking of bookings) {
    if (booking.amounts !== undefined || booking.gpus !== undefined || booking.reason !== undefined)
      return null;
    text += heldText(booking);
  }
  return text;
}

const heldText = ({ attemptId, cores }: WholeBooking): string =>
  HELD_HEAD + stringText(attemptId) + NAME.cores + numberText(cores);

/** Reports whether the text is short ASCII. Ids and names of states always are. */
const isPlain = (text: string): boolean => text.length <= STR8_MAX && PLAIN.test(text);

const byte = (value: number): string => String.fromCharCode(value);
const mapHead = (fields: number): string => byte(0x80 | fields);
const arrayHead = (length: number): string =>
  length <= FIXARRAY_MAX ? byte(0x90 | length) : String.fromCharCode(0xdc, length >> 8, length & 0xff);
/** Headers of texts by length. */
const STRING_HEADS = Array.from({ length: STR8_MAX + 1 }, (_, length) =>
  length <= FIXSTR_MAX ? byte(0xa0 | length) : `\xd9${byte(length)}`,
);
const stringText = (text: string): string => (STRING_HEADS[text.length] ?? '') + text;

const NAME = {
  attemptNumber: stringText('attemptNumber'),
  startedAt: stringText('startedAt'),
  endedAt: stringText('endedAt'),
  exitCode: stringText('exitCode'),
  maxRssMib: stringText('maxRssMib'),
  cpuMs: stringText('cpuMs'),
  cores: stringText('cores'),
} as const;
const VERSION = `${stringText('version')}\x01`;
/** Headers by the number of optional fields. */
const ATTEMPT_HEADS = [0, 1, 2, 3, 4].map(
  (more) => mapHead(ATTEMPT_FIELDS + more) + VERSION + stringText('id'),
);
const statusText = (status: AttemptStatus): string =>
  stringText('status') + stringText(status) + stringText('workerId');
const STATUS_TEXTS: Readonly<Record<AttemptStatus, string>> = {
  running: statusText('running'),
  succeeded: statusText('succeeded'),
  failed: statusText('failed'),
  canceled: statusText('canceled'),
};
/** Preceded by the message, which is empty. */
const SESSION_HEAD = stringText('message') + stringText('') + stringText('sessionId');
const BOOKING_HEAD = mapHead(2) + VERSION + stringText('bookings');
const HELD_HEAD = mapHead(2) + stringText('attemptId');

const float = new DataView(new ArrayBuffer(8));
/** The latest number encoded as eight bytes: one commit window has few different times. */
let lastFloat = { value: NaN, text: '' };

function numberText(value: number): string {
  if (Number.isInteger(value) && value >= 0 && value <= UINT16_MAX && !Object.is(value, -0)) {
    return value <= FIXINT_MAX ? byte(value) : String.fromCharCode(0xcd, value >> 8, value & 0xff);
  }
  if (value !== lastFloat.value) {
    float.setFloat64(0, value);
    let text = '\xcb';
    for (let at = 0; at < 8; at++) text += byte(float.getUint8(at));
    lastFloat = { value, text };
  }
  return lastFloat.text;
}
