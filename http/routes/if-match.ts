import { versionOf, type IfMatch, type Settings } from '../../src/core/records/settings-version.ts';
import type { Header } from '../pipeline/message.ts';

/** Entity tags of objects that clients change (docs/rest.md#concurrent-changes). */

const ENTITY_TAG = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/** Returns the versions in `If-Match`; null without the header and for `*`, which every object matches. */
export function ifMatchOf({ headers }: { readonly headers: { readonly 'If-Match'?: readonly string[] } }): {
  readonly ifMatch?: IfMatch;
} {
  const given = headers['If-Match'];
  if (given === undefined) return {};
  const text = given.join(',');
  if (text.trim() === '*') return {};
  // A tag is the hash of the response, a dot, and the version of the settings.
  const ifMatch = [...text.matchAll(ENTITY_TAG)].map(([, tag = '']) => tag.slice(tag.lastIndexOf('.') + 1));
  return { ifMatch };
}

/** Returns the header with the version of an object. The pipeline adds the hash of the response to it. */
export const versionHeaders = (settings: Settings): readonly Header[] => [
  ['ETag', `"${versionOf(settings)}"`],
];
