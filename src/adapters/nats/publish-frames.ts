/** Frames are written into pieces of memory of this size: an own buffer for each message would cost more than its text. */
const PIECE_BYTES = 256 * 1024;
/** The most bytes of UTF-8 that a unit of UTF-16 becomes. */
const UNIT_BYTES = 3;

/**
 * Messages as frames of the NATS protocol (PUB, without reply and headers), gathered so that all that is said in one turn goes to the client as one
 * piece. What was taken is never written to again.
 */
export class PublishFrames {
  #piece = Buffer.alloc(0);
  /** Where what was not taken begins and ends. */
  #from = 0;
  #to = 0;
  /** Full pieces, and messages that are larger than one. */
  #full: Uint8Array[] = [];
  #fullBytes = 0;

  /** Bytes that were not taken. */
  get bytes(): number {
    return this.#fullBytes + this.#to - this.#from;
  }

  /** The subject must be publishable: it is written as it is. */
  add(subject: string, text: string): void {
    const frame = `PUB ${subject} ${text.length}\r\n${text}\r\n`;
    const bytesMax = (frame.length + UNIT_BYTES) * UNIT_BYTES;
    if (bytesMax > PIECE_BYTES) {
      this.#endPiece();
      this.#keep(Buffer.from(exactFrame(subject, text)));
      return;
    }
    if (bytesMax > this.#piece.length - this.#to) {
      this.#endPiece();
      this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      this.#from = 0;
      this.#to = 0;
    }
    const written = this.#piece.write(frame, this.#to);
    // Characters that take several bytes make the payload longer than its text: the frame has told the wrong length.
    this.#to += written === frame.length ? written : this.#piece.write(exactFrame(subject, text), this.#to);
  }

  /** What was added since the last time, in order. */
  take(): readonly Uint8Array[] {
    this.#endPiece();
    const taken = this.#full;
    this.#full = [];
    this.#fullBytes = 0;
    return taken;
  }

  #endPiece(): void {
    if (this.#to === this.#from) return;
    this.#keep(this.#piece.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }

  #keep(bytes: Uint8Array): void {
    this.#full.push(bytes);
    this.#fullBytes += bytes.length;
  }
}

const exactFrame = (subject: string, text: string): string =>
  `PUB ${subject} ${Buffer.byteLength(text)}\r\n${text}\r\n`;
