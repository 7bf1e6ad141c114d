import type { DocumentNode } from '../../src/openjd/primitives/document.ts';

/** The value of a key; undefined when it is not there, and of what is no mapping. */
export function memberOf(document: DocumentNode, key: string): DocumentNode | undefined {
  if (document.kind !== 'mapping') return undefined;
  return document.entries.find((entry) => entry.key === key)?.value;
}
