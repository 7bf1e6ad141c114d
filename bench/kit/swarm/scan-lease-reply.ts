const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const TYPE = Buffer.from('type');
const UNKNOWN = Buffer.from('unknown');
const ASSIGNMENTS = Buffer.from('assignments');
const CONFIRMED = Buffer.from('confirmed');
const ATTEMPT_ID = Buffer.from('attempt_id');

/** Result of a scan: ids as start and end in the text, two numbers each. Reused for the next reply. */
export class ScannedReply {
  /** True if the text was a reply: it has a `type`. */
  isReply = false;
  /** The service does not know the worker. */
  isUnknown = false;
  assigned = 0;
  readonly assignedAt: Int32Array;
  confirmed = 0;
  readonly confirmedAt: Int32Array;

  /** `most` is the maximum number of assignments, and of confirmed attempts, in a reply. */
  constructor(most: number) {
    this.assignedAt = new Int32Array(2 * most);
    this.confirmedAt = new Int32Array(2 * most);
  }
}

type Section = 'other' | 'type' | 'assignments' | 'confirmed';

/**
 * Finds the assigned and the confirmed attempts in the text of a LeaseReply without creating an object of it. Exact for
 * any text of JSON.stringify (no blanks between tokens) whose attempt ids need no escapes. Throws if there are too
 * many.
 */
export function scanLeaseReply(data: Uint8Array, start: number, end: number, found: ScannedReply): void {
  found.isReply = false;
  found.isUnknown = false;
  found.assigned = 0;
  found.confirmed = 0;
  let depth = 0;
  let section: Section = 'other';
  let isAttempt = false;
  for (let at = start; at < end; at++) {
    const byte = data[at];
    if (byte === QUOTE) {
      const from = at + 1;
      at = closingQuote(data, from, end);
      if (depth === 1) {
        if (data[at + 1] === COLON) section = sectionNamed(data, from, at);
        else if (section === 'type') {
          found.isReply = true;
          found.isUnknown = equals(data, from, at, UNKNOWN);
        }
      } else if (depth === 3 && section === 'assignments') {
        if (data[at + 1] === COLON) isAttempt = equals(data, from, at, ATTEMPT_ID);
        else if (isAttempt) {
          isAttempt = false;
          note(found.assignedAt, found.assigned++, from, at);
        }
      } else if (depth === 2 && section === 'confirmed') {
        note(found.confirmedAt, found.confirmed++, from, at);
      }
    } else if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

function closingQuote(data: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && data[at] !== QUOTE) at += data[at] === BACKSLASH ? 2 : 1;
  return at;
}

function sectionNamed(data: Uint8Array, from: number, to: number): Section {
  if (equals(data, from, to, TYPE)) return 'type';
  if (equals(data, from, to, ASSIGNMENTS)) return 'assignments';
  if (equals(data, from, to, CONFIRMED)) return 'confirmed';
  return 'other';
}

function equals(data: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  if (to - from !== name.length) return false;
  for (let at = 0; at < name.length; at++) if (data[from + at] !== name[at]) return false;
  return true;
}

function note(places: Int32Array, index: number, from: number, to: number): void {
  if (2 * index >= places.length) throw new Error(`a reply with more than ${places.length / 2} attempts`);
  places[2 * index] = from;
  places[2 * index + 1] = to;
}
