import type { DocumentNode } from './document.ts';

/** Returns a document as JSON.parse would. Numbers are those that JavaScript reads from their texts. */
export function plainValueOf(node: DocumentNode): unknown {
  switch (node.kind) {
    case 'mapping':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValueOf(value)]));
    case 'sequence':
      return node.items.map(plainValueOf);
    case 'integer':
    case 'float':
      return Number(node.text);
    case 'string':
    case 'boolean':
      return node.value;
    case 'null':
      return null;
  }
}

/** Returns the part of a document at a JSON pointer, or the innermost part around it that exists. */
export function nodeAt(node: DocumentNode, pointer: string): DocumentNode {
  let found = node;
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: DocumentNode | undefined =
      found.kind === 'mapping'
        ? found.entries.find((entry) => entry.key === key)?.value
        : found.kind === 'sequence'
          ? found.items[Number(key)]
          : undefined;
    if (next === undefined) return found;
    found = next;
  }
  return found;
}
