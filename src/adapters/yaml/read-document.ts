import type { ReadResult } from '../../openjd/template/read-result.ts';
import { DOCUMENT_LIMITS, type DocumentLimits } from '../../openjd/primitives/document-limits.ts';
import { readJson } from '../../openjd/template/read-json.ts';
import { readYaml } from './read-yaml.ts';

export type DocumentFormat = 'yaml' | 'json';

/**
 * Reads untrusted text into a document. Depth, size and number of nodes are checked before any parser runs
 * (docs/dependency-hazards.md#d7-deep-or-large-documents). Never throws because of the text: the errors contain line
 * and column.
 */
export function readDocument(
  text: string,
  format: DocumentFormat,
  limits: DocumentLimits = DOCUMENT_LIMITS,
): ReadResult {
  return format === 'json' ? readJson(text, limits) : readYaml(text, limits);
}
