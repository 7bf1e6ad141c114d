import type { AttemptStatus } from '../../core/lifecycle/attempt-status.ts';
import type { AttemptRecord } from '../../core/records/attempt.ts';
import type { Change } from '../../core/records/change-set.ts';
import type { Holding } from '../../core/records/holding.ts';
import type { ShareReason } from '../../core/records/queue-policy.ts';
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
const FIXMAP_MAX = 15;
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
    const held = heldText(booking);
    if (held === null) return null;
    text += held;
  }
  return text;
}

function heldText({ attemptId, cores, amounts, gpus, policyVersion, reason }: WholeBooking): string | null {
  let fields = 2;
  let more = '';
  if (amounts !== undefined) {
    const text = amountsText(amounts);
    if (text === null) return null;
    fields++;
    more += NAME.amounts + text;
  }
  if (gpus !== undefined) {
    if (gpus.length > FIXARRAY_MAX) return null;
    fields++;
    more += NAME.gpus + arrayHead(gpus.length);
    for (const gpu of gpus) more += numberText(gpu);
  }
  if (policyVersion !== undefined) {
    fields++;
    more += NAME.policyVersion + numberText(policyVersion);
  }
  if (reason !== undefined) {
    if (!isPlain(reason.sharer)) return null;
    fields++;
    more += NAME.reason + reasonText(reason);
  }
  return (HELD_HEADS[fields] ?? '') + stringText(attemptId) + NAME.cores + numberText(cores) + more;
}

/** The latest amounts: the tasks of one step take the same object of all workers of a kind. */
let lastAmounts: { readonly amounts: Holding['amounts']; readonly text: string } | null = null;

function amountsText(amounts: NonNullable<Holding['amounts']>): string | null {
  if (lastAmounts?.amounts === amounts) return lastAmounts.text;
  let fields = 0;
  let text = '';
  for (const name in amounts) {
    if (!isPlain(name)) return null;
    text += stringText(name) + numberText(amounts[name] ?? 0);
    fields++;
  }
  if (fields > FIXMAP_MAX) return null;
  text = mapHead(fields) + text;
  lastAmounts = { amounts, text };
  return text;
}

function reasonText(reason: RequireAllFields<ShareReason, keyof ShareReason>): string {
  const { version, kind, sharedBy, sharer, cores, usage } = reason;
  const text =
    (usage === undefined ? REASON_HEAD : REASON_WITH_USAGE_HEAD) +
    numberText(version) +
    NAME.kind +
    stringText(kind) +
    NAME.sharedBy +
    stringText(sharedBy) +
    NAME.sharer +
    stringText(sharer) +
    NAME.cores +
    numberText(cores);
  return usage === undefined ? text : text + NAME.usage + numberText(usage);
}

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
  amounts: stringText('amounts'),
  gpus: stringText('gpus'),
  policyVersion: stringText('policyVersion'),
  reason: stringText('reason'),
  kind: stringText('kind'),
  sharedBy: stringText('sharedBy'),
  sharer: stringText('sharer'),
  usage: stringText('usage'),
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
/** By the number of fields. */
const HELD_HEADS = [0, 1, 2, 3, 4, 5, 6].map((fields) => mapHead(fields) + stringText('attemptId'));
const REASON_HEAD = mapHead(5) + stringText('version');
const REASON_WITH_USAGE_HEAD = mapHead(6) + stringText('version');

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
