const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines of text. A line above the limit is returned in pieces (`lastCut`), which end
 * between characters. Invalid UTF-8 bytes are each shown as \xNN (docs/contract/sessions.md#processes).
 */
export class LineAssembler {
  private readonly limit: number;
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private parts: Uint8Array[] = [];
  private length = 0;
  private cutLines: number[] = [];

  /** `limit`: maximum bytes per line. */
  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * Returns the lines completed by these bytes, without their line feeds. The bytes are copied if they are needed after
   * the call.
   */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    this.cutLines = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.append(bytes.subarray(start, end), lines);
      lines.push(this.take());
      start = end + 1;
    }
    this.append(bytes.subarray(start), lines);
    return lines;
  }

  /** Returns the indices of the lines in the latest result that continue in the next one. */
  get lastCut(): readonly number[] {
    return this.cutLines;
  }

  /** Returns the last line if the stream ended without a line feed, or null. */
  end(): string | null {
    this.cutLines = [];
    return this.length === 0 ? null : this.take();
  }

  private append(bytes: Uint8Array, lines: string[]): void {
    let rest = bytes;
    while (this.length + rest.length > this.limit) {
      const room = this.limit - this.length;
      this.keep(rest.subarray(0, room));
      rest = rest.subarray(room);
      const whole = Buffer.concat(this.parts);
      const end = lastCharacterEnd(whole) || whole.length;
      this.parts = [];
      this.length = 0;
      this.cutLines.push(lines.length);
      lines.push(this.decode(whole.subarray(0, end)));
      this.keep(whole.subarray(end));
    }
    this.keep(rest);
  }

  private keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.parts.push(bytes.slice());
    this.length += bytes.length;
  }

  private take(): string {
    const only = this.parts[0];
    const bytes = this.parts.length === 1 && only !== undefined ? only : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return this.decode(bytes);
  }

  private decode(bytes: Uint8Array): string {
    try {
      return this.decoder.decode(bytes);
    } catch {
      return decodeWithEscapes(bytes);
    }
  }
}

/** Returns the end of the last complete character; the bytes may end inside a character. */
function lastCharacterEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0 && at >= bytes.length - 4; at--) {
    const lead = bytes[at] ?? 0;
    if ((lead & 0xc0) === 0x80) continue;
    const needed = sequenceLength(lead);
    return needed > 1 && at + needed > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** Returns the length of the character that begins with this byte; 1 for an invalid byte. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/** Reports whether the bytes at `at` are a complete character of `length` bytes (length > 1). */
function isCharacter(bytes: Uint8Array, at: number, length: number): boolean {
  const lead = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return false;
  for (let next = at + 2; next < at + length; next++) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return false;
  }
  return true;
}

/** Decodes valid characters, and every other byte as \xNN. */
function decodeWithEscapes(bytes: Uint8Array): string {
  const pieces: string[] = [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let validFrom = 0;
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = sequenceLength(lead);
    if (lead < 0x80 || (length > 1 && isCharacter(bytes, at, length))) {
      at += length;
      continue;
    }
    pieces.push(text.toString('utf8', validFrom, at), `\\x${lead.toString(16).padStart(2, '0')}`);
    at += 1;
    validFrom = at;
  }
  pieces.push(text.toString('utf8', validFrom));
  return pieces.join('');
}
