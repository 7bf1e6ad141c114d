/** What the source of an expression is made of. Offsets are UTF-16, `end` exclusive. */
export interface Token {
  readonly kind: TokenKind;
  /** As it is written; empty at the end. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** `error`: nothing that the language has; `text` is then the message. */
export type TokenKind = 'name' | 'int' | 'float' | 'imaginary' | 'string' | 'operator' | 'end' | 'error';
