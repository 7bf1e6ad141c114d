/**
 * The lines of a stream of text, each without its line feed. A line ends at a line feed alone: JSON may hold other characters that some
 * readers take for the end of a line.
 */
export async function* inputLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  /** The line that has begun, in pieces: joined once, however many chunks it takes. */
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
