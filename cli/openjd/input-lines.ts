/**
 * Splits a text stream into lines without their line feeds. Only a line feed ends a line: JSON may contain other
 * characters that some readers treat as line ends.
 */
export async function* inputLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  /** Pieces of the unfinished line. They are joined once, whatever their number. */
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      yield pieces.join('') + chunk.slice(start, end);
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.slice(start));
  }
  if (pieces.length > 0) yield pieces.join('');
}
