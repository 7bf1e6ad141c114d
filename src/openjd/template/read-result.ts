import type { PointedError } from '../primitives/pointed-error.ts';
import type { DocumentNode, Position } from '../primitives/document.ts';

/** A parsed document, or why it cannot be read. */
export type ReadResult =
  | { readonly ok: true; readonly document: DocumentNode }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

/** Ends the reading of a document: thrown and caught inside a reader. */
export class Unreadable extends Error {
  readonly position: Position;

  constructor(detail: string, position: Position) {
    super(detail);
    this.position = position;
  }

  /** `pointer` is that of the innermost part that was read. */
  toResult(pointer: string): ReadResult {
    const { line, column } = this.position;
    return { ok: false, errors: [{ pointer, detail: this.message, line, column }] };
  }
}
