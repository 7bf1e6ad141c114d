/** What a document may cost to read. A reader refuses more before it builds anything. */
export interface DocumentLimits {
  /** UTF-16 units of text. */
  readonly maxCharacters: number;
  /** Mappings and sequences inside each other. */
  readonly maxDepth: number;
  /** Nodes of the tree, each alias counted as often as it is used. */
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
