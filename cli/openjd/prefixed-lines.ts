/** Adds a prefix to each line of a text that arrives in pieces. */
export class PrefixedLines {
  private readonly prefix: string;
  private isOpen = false;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Returns the piece with the prefix at each start of a line. */
  next(piece: string): string {
    if (piece === '') return '';
    const ends = piece.endsWith('\n');
    const body = (ends ? piece.slice(0, -1) : piece).replaceAll('\n', `\n${this.prefix}`);
    const text = `${this.isOpen ? '' : this.prefix}${body}${ends ? '\n' : ''}`;
    this.isOpen = !ends;
    return text;
  }
}
