/**
 * A document as a plain tree. Every node has its position, and numbers keep their original text. Both readers (YAML and
 * JSON) produce it, and later passes use nothing else. The tree may share nodes (YAML aliases) but has no cycle.
 */
export type DocumentNode = MappingNode | SequenceNode | ScalarNode;

export type ScalarNode = StringNode | IntegerNode | FloatNode | BooleanNode | NullNode;

/** Line and column count from 1; a column is a UTF-16 unit. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface MappingNode extends Position {
  readonly kind: 'mapping';
  /** In the order of the document; keys are unique. */
  readonly entries: readonly MappingEntry[];
}

export interface MappingEntry {
  readonly key: string;
  /** Position of the key. */
  readonly keyAt: Position;
  readonly value: DocumentNode;
}

export interface SequenceNode extends Position {
  readonly kind: 'sequence';
  readonly items: readonly DocumentNode[];
}

export interface StringNode extends Position {
  readonly kind: 'string';
  readonly value: string;
  /** Set for a block scalar with `|`, whose lines are those of the document without their indentation. */
  readonly block?: {
    /** Line of its first line. */
    readonly line: number;
    /** Number of columns before each of its lines. */
    readonly indent: number;
  };
}

/** `text` is decimal (`-12`), of any length; the consumer checks the range. */
export interface IntegerNode extends Position {
  readonly kind: 'integer';
  readonly text: string;
}

/** `text` is as written (`1.50`, `1e3`, `.inf`). */
export interface FloatNode extends Position {
  readonly kind: 'float';
  readonly text: string;
}

export interface BooleanNode extends Position {
  readonly kind: 'boolean';
  readonly value: boolean;
}

export interface NullNode extends Position {
  readonly kind: 'null';
}

/** Returns the name of a node's kind for messages. */
export function nodeKindName(node: DocumentNode): string {
  switch (node.kind) {
    case 'mapping':
      return 'a mapping';
    case 'sequence':
      return 'a list';
    case 'string':
      return 'text';
    case 'integer':
      return 'an integer';
    case 'float':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'null':
      return 'null';
  }
}
