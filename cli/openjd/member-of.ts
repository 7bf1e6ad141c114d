import type { DocumentNode } from '../../src/openjd/primitives/document.ts';

/** Returns the value of a key; undefined if the key is missing or the input is not a mapping. */
export function memberOf(document: DocumentNode, key: string): DocumentNode | undefined {
  if (document.kind !== 'mapping') return undefined;
  return document.entries.find((entry) => entry.key === key)?.value;
}
