import { parseJsonText } from './json-text.ts';

/** Frames of the event channel (docs/contract/events.md#envelope). One frame is one envelope as JSON. */
export type ClientFrame =
  | {
      readonly type: 'subscribe';
      readonly subject: string;
      /** The last event that the client has of the subject; 0 if there is none. */
      readonly sinceSeq: number;
      readonly seq: number;
    }
  | { readonly type: 'unsubscribe'; readonly subject: string; readonly seq: number }
  | { readonly type: 'ping'; readonly seq: number };

/** Why a frame was rejected, or that events were dropped: `code` of an `error` envelope. */
export type SocketErrorCode = 'bad-frame' | 'unknown-type' | 'gap';

export type ReadFrame =
  | { readonly ok: true; readonly frame: ClientFrame }
  | { readonly ok: false; readonly code: SocketErrorCode; readonly message: string };

/** Maximum length of a client's frame, in characters. A subject is far shorter. */
const FRAME_CHARACTERS_MAX = 4096;
const NESTING_MAX = 16;
const SUBJECT_CHARACTERS_MAX = 256;

/** Parses a text frame of a client. Unknown fields are ignored; `payload` and `seq` may be missing or null. */
export function readClientFrame(text: string): ReadFrame {
  const parsed = parseJsonText(text, { length: FRAME_CHARACTERS_MAX, nesting: NESTING_MAX });
  if (!parsed.ok) return bad(parsed.reason.replace(/^message: /, 'the frame is '));
  const envelope = objectOf(parsed.value);
  if (envelope === null) return bad('the frame is not a JSON object');
  const { type } = envelope;
  const seq = numberOf(envelope['seq']);
  if (seq === null) return bad('seq must be an integer of at least 0');
  if (typeof type !== 'string') return bad('type must be a string');
  if (type === 'ping') return { ok: true, frame: { type, seq } };
  if (type !== 'subscribe' && type !== 'unsubscribe') {
    const message = `the type ${type.slice(0, 40)} is not one of subscribe, unsubscribe, ping`;
    return { ok: false, code: 'unknown-type', message };
  }
  const { subject } = envelope;
  if (typeof subject !== 'string' || subject === '') return bad('subject must be a string');
  if (subject.length > SUBJECT_CHARACTERS_MAX)
    return bad(`subject is longer than ${SUBJECT_CHARACTERS_MAX} characters`);
  if (type === 'unsubscribe') return { ok: true, frame: { type, subject, seq } };
  const payload = objectOf(envelope['payload'] ?? {});
  if (payload === null) return bad('payload must be an object');
  const sinceSeq = numberOf(payload['since_seq']);
  if (sinceSeq === null) return bad('since_seq must be an integer of at least 0');
  return { ok: true, frame: { type, subject, sinceSeq, seq } };
}

const bad = (message: string): ReadFrame => ({ ok: false, code: 'bad-frame', message });

function objectOf(value: unknown): Partial<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** Returns a counter: 0 if it is missing, null if it is invalid. */
function numberOf(value: unknown): number | null {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Formats an event of a subject. */
export const pushFrame = (subject: string, seq: number, payload: object): string =>
  JSON.stringify({ type: 'push', subject, seq, payload });

/**
 * Formats the reply to `subscribe` and `unsubscribe`. `seq` is that of the newest event of the subject; `error` is
 * empty unless the frame was rejected.
 */
export const ackFrame = (subject: string, seq: number, clientSeq: number, error: string): string =>
  JSON.stringify({ type: 'ack', subject, seq, payload: { client_seq: clientSeq, error } });

/** `seq` is that of the last dropped event, or the client's own of the rejected frame. */
export const errorFrame = (subject: string, seq: number, code: SocketErrorCode, message: string): string =>
  JSON.stringify({ type: 'error', subject, seq, payload: { code, message } });

/** `seq` is that of the ping. */
export const pongFrame = (seq: number): string =>
  JSON.stringify({ type: 'pong', subject: '', seq, payload: {} });
