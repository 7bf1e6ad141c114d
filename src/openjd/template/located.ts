import type { DocumentNode, MappingEntry, Position } from '../primitives/document.ts';
import { pointerTo } from '../primitives/pointed-error.ts';

/** A node and its path from the root. */
export interface Located {
  readonly node: DocumentNode;
  readonly parent: Located | null;
  /** Key or index in the parent; empty at the root. */
  readonly key: string | number;
  /** Position of the key in a mapping; absent elsewhere. */
  readonly keyAt?: Position;
}

export const rootOf = (node: DocumentNode): Located => ({ node, parent: null, key: '' });

export const memberOf = (parent: Located, entry: MappingEntry): Located => ({
  node: entry.value,
  parent,
  key: entry.key,
  keyAt: entry.keyAt,
});

export const itemOf = (parent: Located, node: DocumentNode, index: number): Located => ({
  node,
  parent,
  key: index,
});

/** Returns the JSON pointer (RFC 6901) of a located node; empty at the root. */
export function pointerOf(located: Located): string {
  const segments: (string | number)[] = [];
  for (let at = located; at.parent !== null; at = at.parent) segments.push(at.key);
  return pointerTo(segments.reverse());
}

/** A text of the template and its position. */
export interface Text {
  readonly value: string;
  readonly at: Located;
}

/** Reports whether a node is text with an interpolation. */
export const isFormatString = ({ node }: Located): boolean =>
  node.kind === 'string' && node.value.includes('{{');

/** Returns the text of a node, or undefined for another one. */
export const textAt = (at: Located): Text | undefined =>
  at.node.kind === 'string' ? { value: at.node.value, at } : undefined;
