/**
 * A document as it was read: a plain tree in which every node knows where it stands and numbers keep what was written. Both readers
 * (YAML and JSON) give this; everything behind them sees nothing else. The tree may share nodes (YAML aliases) but has no cycle.
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
  /** Where the key stands. */
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
}

/** `text` is decimal (`-12`), of any length; the range is checked by who reads it. */
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

/** How a node is called in messages. */
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
