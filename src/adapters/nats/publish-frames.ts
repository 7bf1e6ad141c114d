/** Size of the buffers for frames: a separate buffer for each message would cost more than its text. */
const PIECE_BYTES = 256 * 1024;
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const UNIT_BYTES = 3;

/**
 * Messages as frames of the NATS protocol (PUB, without reply and headers), gathered so that all messages of one turn
 * are passed to the client as one piece. Returned frames are never written to again.
 */
export class PublishFrames {
  #piece = Buffer.alloc(0);
  /** Start and end of the frames that `take` has not returned. */
  #from = 0;
  #to = 0;
  /** Full buffers, and messages that are larger than a buffer. */
  #full: Uint8Array[] = [];
  #fullBytes = 0;

  /** Returns the bytes that `take` has not returned. */
  get bytes(): number {
    return this.#fullBytes + this.#to - this.#from;
  }

  /** Adds a message. The subject must be publishable: it is written unchecked. */
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
    // Multi-byte characters make the payload longer than its text, so the length in the frame is wrong: write the frame
    // again.
    this.#to += written === frame.length ? written : this.#piece.write(exactFrame(subject, text), this.#to);
  }

  /** Returns the frames added since the previous call, in order. */
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
