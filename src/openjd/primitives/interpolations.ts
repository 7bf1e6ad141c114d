/** Interpolations in one format string. */
export const MAX_INTERPOLATIONS = 1000;

/** A piece of a format string: text, what stands between `{{` and `}}`, or what ends the reading. Offsets are UTF-16, `end` exclusive. */
export interface FormatPiece {
  readonly kind: 'text' | 'interpolation' | FormatFault;
  /** Of the text, of what is between the braces, or of the braces without a counterpart. */
  readonly start: number;
  readonly end: number;
}

/** `unopened`: a `}}` in the text; `unclosed`: a `{{` without its `}}`; `too-many`: more than `MAX_INTERPOLATIONS`. */
export type FormatFault = 'unopened' | 'unclosed' | 'too-many';

/**
 * The pieces of a format string in their order, empty texts left out; a fault is the last one (specification, section 7.3). `closeAt` finds where
 * the `}}` stands that closes an interpolation whose inside begins at `from`: -1 for nowhere.
 */
export function* piecesOf(
  text: string,
  closeAt: (text: string, from: number) => number,
): Generator<FormatPiece> {
  let position = 0;
  let interpolations = 0;
  while (position < text.length) {
    const found = text.indexOf('{{', position);
    const open = found === -1 ? text.length : found;
    const unopened = text.indexOf('}}', position);
    if (unopened !== -1 && unopened < open) {
      yield { kind: 'unopened', start: unopened, end: unopened + 2 };
      return;
    }
    if (open > position) yield { kind: 'text', start: position, end: open };
    if (found === -1) return;
    const close = closeAt(text, open + 2);
    if (close === -1) {
      yield { kind: 'unclosed', start: open, end: open + 2 };
      return;
    }
    interpolations += 1;
    if (interpolations > MAX_INTERPOLATIONS) {
      yield { kind: 'too-many', start: open, end: close + 2 };
      return;
    }
    yield { kind: 'interpolation', start: open + 2, end: close };
    position = close + 2;
  }
}
