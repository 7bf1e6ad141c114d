import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import type { ScannedReply } from './scan-lease-reply.ts';

const SIZE_DIGITS = 6;
const ZERO = 0x30;
const COMMA = 0x2c;
const FIRST_ROOM_BYTES = 1024;

const REPORTS_OPEN = Buffer.from(',"reports":[');
const REPORTS_CLOSE = Buffer.from(']}\r\n');
const NO_REPORTS = Buffer.from('}\r\n');
const REPORT_OPEN = Buffer.from('{"attempt_id":"');

/** The text after the attempt id of a succeeded task. It contains the time and is rebuilt periodically. */
export const reportTail = (sessionId: string): Uint8Array =>
  Buffer.from(
    `","status":"succeeded","exit_code":0,"timestamp":"${new Date().toISOString()}","session_id":"${sessionId}"}`,
  );

export interface FrameOptions {
  readonly workerId: string;
  readonly farmId: string;
  readonly incarnation: string;
  /** Subject of the request. */
  readonly subject: string;
  /** Inbox of the reply. */
  readonly inbox: string;
}

/**
 * The lease request of one worker as ready-made protocol bytes: everything except its reports is prepared beforehand, and attempt ids go from the
 * bytes of a reply into those of the next request without becoming texts.
 */
export class LeaseRequestFrame {
  private room: Buffer;
  private readonly sizeAt: number;
  private readonly bodyAt: number;
  private readonly reportsAt: number;
  private end: number;
  private readonly idsAt = new Int32Array(2 * WIRE_LIMITS.reportsPerRequest);
  private count = 0;
  private made: Uint8Array | null = null;

  constructor({ workerId, farmId, incarnation, subject, inbox }: FrameOptions) {
    const line = `PUB ${subject} ${inbox} `;
    const body = JSON.stringify({ v: 1, worker_id: workerId, farm_id: farmId, incarnation }).slice(0, -1);
    this.room = Buffer.allocUnsafe(FIRST_ROOM_BYTES);
    this.sizeAt = line.length;
    this.bodyAt = this.sizeAt + SIZE_DIGITS + 2;
    this.reportsAt = this.bodyAt + body.length;
    this.end = this.reportsAt;
    this.room.write(`${line}${'0'.repeat(SIZE_DIGITS)}\r\n${body}`, 'latin1');
  }

  /** Reports that are sent with the request. */
  get reports(): number {
    return this.count;
  }

  /** Adds the end of an attempt to the request. Its id is the bytes from `from` to `to`. */
  add(data: Uint8Array, from: number, to: number, tail: Uint8Array): void {
    const idBytes = to - from;
    this.grow(REPORTS_OPEN.length + REPORT_OPEN.length + idBytes + tail.length + REPORTS_CLOSE.length);
    const { room } = this;
    if (this.count === 0) this.append(REPORTS_OPEN);
    else room[this.end++] = COMMA;
    this.append(REPORT_OPEN);
    this.idsAt[2 * this.count] = this.end;
    for (let at = from; at < to; at++) room[this.end++] = data[at] ?? 0;
    this.idsAt[2 * this.count + 1] = this.end;
    this.append(tail);
    this.count++;
    this.made = null;
  }

  /** Returns the attempts whose ends are sent with the request. */
  ids(): string[] {
    const ids: string[] = [];
    for (let index = 0; index < this.count; index++) {
      ids.push(this.room.toString('latin1', this.idsAt[2 * index], this.idsAt[2 * index + 1]));
    }
    return ids;
  }

  clear(): void {
    this.count = 0;
    this.end = this.reportsAt;
    this.made = null;
  }

  /**
   * Removes the reports that a reply has confirmed; the others are sent with the next request. Returns the number of
   * removed reports. Attempts that were not in the request are not counted.
   */
  settle(data: Buffer, reply: ScannedReply, tail: Uint8Array): number {
    const before = this.count;
    if (before === 0) return 0;
    if (reply.confirmed === before && this.areConfirmedInOrder(data, reply)) {
      this.clear();
      return before;
    }
    const confirmed = new Set<string>();
    for (let index = 0; index < reply.confirmed; index++) {
      confirmed.add(data.toString('latin1', reply.confirmedAt[2 * index], reply.confirmedAt[2 * index + 1]));
    }
    const left = this.ids().filter((id) => !confirmed.has(id));
    this.clear();
    for (const id of left) this.add(Buffer.from(id, 'latin1'), 0, id.length, tail);
    return before - left.length;
  }

  /** Returns the complete protocol message. Valid until the frame is changed. */
  bytes(): Uint8Array {
    if (this.made !== null) return this.made;
    const at = this.end;
    if (this.count === 0) this.append(NO_REPORTS);
    else this.append(REPORTS_CLOSE);
    const end = this.end;
    this.end = at;
    let size = end - 2 - this.bodyAt;
    for (let digit = SIZE_DIGITS - 1; digit >= 0; digit--) {
      this.room[this.sizeAt + digit] = ZERO + (size % 10);
      size = Math.floor(size / 10);
    }
    this.made = this.room.subarray(0, end);
    return this.made;
  }

  /** Bytes of the payload. */
  get payloadBytes(): number {
    return this.bytes().length - 2 - this.bodyAt;
  }

  private areConfirmedInOrder(data: Uint8Array, reply: ScannedReply): boolean {
    for (let index = 0; index < this.count; index++) {
      let own = this.idsAt[2 * index] ?? 0;
      const ownEnd = this.idsAt[2 * index + 1] ?? 0;
      let at = reply.confirmedAt[2 * index] ?? 0;
      if ((reply.confirmedAt[2 * index + 1] ?? 0) - at !== ownEnd - own) return false;
      while (own < ownEnd) if (this.room[own++] !== data[at++]) return false;
    }
    return true;
  }

  private append(bytes: Uint8Array): void {
    this.room.set(bytes, this.end);
    this.end += bytes.length;
  }

  private grow(by: number): void {
    if (this.end + by <= this.room.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.room.length + by));
    this.room.copy(larger, 0, 0, this.end);
    this.room = larger;
  }
}
