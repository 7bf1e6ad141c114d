/** A token of an expression's source. Offsets are UTF-16, `end` exclusive. */
export interface Token {
  readonly kind: TokenKind;
  /** As written; empty at the end. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** `error`: not a token of the language; `text` is then the message. */
export type TokenKind = 'name' | 'int' | 'float' | 'imaginary' | 'string' | 'operator' | 'end' | 'error';
