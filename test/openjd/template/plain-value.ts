import type { DocumentNode } from '../../../src/openjd/primitives/document.ts';

/** Returns the value of a document as editors and validators of JSON Schema see it. */
export function plainValueOf(node: DocumentNode): unknown {
  switch (node.kind) {
    case 'mapping':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValueOf(value)]));
    case 'sequence':
      return node.items.map(plainValueOf);
    case 'string':
    case 'boolean':
      return node.value;
    case 'integer':
    case 'float':
      return Number(node.text);
    case 'null':
      return null;
  }
}
