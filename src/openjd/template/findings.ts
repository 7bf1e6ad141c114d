import type { PointedError } from '../primitives/pointed-error.ts';
import type { DocumentNode, Position } from '../primitives/document.ts';
import { pointerOf, type Located } from './located.ts';

/** Maximum number of findings that are kept; further ones are only counted. */
const MAX_FINDINGS = 1000;
/** Maximum total characters of all findings: those of expressions can be long. */
const MAX_CHARACTERS = 250_000;

/** Returns the position of an offset in a block scalar. In other texts it is where the node begins. */
function placeInText(node: DocumentNode, offset: number | undefined): Position {
  if (offset === undefined || node.kind !== 'string' || node.block === undefined) return node;
  const before = node.value.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lines = before.split('\n').length - 1;
  return { line: node.block.line + lines, column: node.block.indent + offset - lineStart + 1 };
}

/** Collects the errors of a document over all passes. */
export class Findings {
  readonly #errors: PointedError[] = [];
  #dropped = 0;
  #characters = 0;

  get count(): number {
    return this.#errors.length + this.#dropped;
  }

  /** Adds an error of the node; `offset` is its place in the node's text. */
  add(at: Located, detail: string, offset?: number): void {
    this.#push(at, placeInText(at.node, offset), detail);
  }

  /** Adds an error of a mapping entry's key. */
  addAtKey(at: Located, detail: string): void {
    this.#push(at, at.keyAt ?? at.node, detail);
  }

  /** Returns all findings, by position in the document. */
  sorted(): PointedError[] {
    const sorted = this.#errors.toSorted(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
    );
    if (this.#dropped > 0) sorted.push({ pointer: '', detail: `${this.#dropped} more errors are not shown` });
    return sorted;
  }

  #push(at: Located, position: Position, detail: string): void {
    if (this.#errors.length >= MAX_FINDINGS || this.#characters >= MAX_CHARACTERS) {
      this.#dropped += 1;
      return;
    }
    this.#characters += detail.length;
    this.#errors.push({ pointer: pointerOf(at), detail, line: position.line, column: position.column });
  }
}
