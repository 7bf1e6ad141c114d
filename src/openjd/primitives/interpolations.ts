/** Maximum number of interpolations in one format string. */
export const MAX_INTERPOLATIONS = 1000;

/**
 * A piece of a format string: text, the content of `{{` and `}}`, or a fault that ends the reading. Offsets are UTF-16,
 * `end` exclusive.
 */
export interface FormatPiece {
  readonly kind: 'text' | 'interpolation' | FormatFault;
  /** Of the text, of the content between the braces, or of the unbalanced braces. */
  readonly start: number;
  readonly end: number;
}

/** `unopened`: a `}}` in the text; `unclosed`: a `{{` without its `}}`; `too-many`: more than `MAX_INTERPOLATIONS`. */
export type FormatFault = 'unopened' | 'unclosed' | 'too-many';

/**
 * Yields the pieces of a format string in order, without empty texts; a fault is the last one (specification, section
 * 7.3). `closeAt` returns the offset of the `}}` that closes an interpolation whose content begins at `from`, or -1.
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
