/** Puts a prefix before each line of a text that comes in pieces. */
export class PrefixedLines {
  private readonly prefix: string;
  private isOpen = false;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** The piece with the prefix wherever a line begins in it. */
  next(piece: string): string {
    if (piece === '') return '';
    const ends = piece.endsWith('\n');
    const body = (ends ? piece.slice(0, -1) : piece).replaceAll('\n', `\n${this.prefix}`);
    const text = `${this.isOpen ? '' : this.prefix}${body}${ends ? '\n' : ''}`;
    this.isOpen = !ends;
    return text;
  }
}
