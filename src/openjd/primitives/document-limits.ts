/** Limits of a document. A reader rejects larger ones before it builds anything. */
export interface DocumentLimits {
  /** UTF-16 units of text. */
  readonly maxCharacters: number;
  /** Nesting of mappings and sequences. */
  readonly maxDepth: number;
  /** Nodes of the tree; each alias counts every time it is used. */
  readonly maxNodes: number;
  /** Words, marks, blanks, line ends and comments. */
  readonly maxTokens: number;
}

export const DOCUMENT_LIMITS: DocumentLimits = {
  maxCharacters: 4_000_000,
  maxDepth: 64,
  maxNodes: 100_000,
  maxTokens: 1_000_000,
};
