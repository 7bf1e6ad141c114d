/** Splits a text into pieces of at most `bytes` bytes of UTF-8, never inside a character. */
export function splitText(text: string, bytes: number): readonly string[] {
  if (Buffer.byteLength(text) <= bytes) return [text];
  const encoded = Buffer.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < encoded.length;) {
    let end = Math.min(start + bytes, encoded.length);
    while (end < encoded.length && isInsideCharacter(encoded[end])) end--;
    pieces.push(encoded.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
