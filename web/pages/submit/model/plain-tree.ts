/** A parsed document. Numbers are text, because integers can have 64 bits. */
export type PlainNode =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly PlainNode[] }
  | { readonly kind: 'map'; readonly members: ReadonlyMap<string, PlainNode> };

/** An error at a position of the text; lines and columns from 1. */
export interface LineError {
  readonly line: number;
  readonly column: number;
  readonly detail: string;
}

export type DocumentFormat = 'yaml' | 'json';

export type DocumentReading =
  | { readonly ok: true; readonly format: DocumentFormat; readonly root: PlainNode }
  | { readonly ok: false; readonly errors: readonly LineError[] };

/** Returns the line and column of an offset in the text. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}
