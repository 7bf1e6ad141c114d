import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Written by scripts/build.js: the SHA-256 of openapi.yaml, a line feed, and the document as JSON. */
const PARSED_PATH = 'dist/http/openapi/openapi.json';

/**
 * Returns the document of openapi.yaml as the build parsed it, or null if there is none of exactly this text. Parsing
 * the YAML takes a third of a second on a slow machine, which each start of the service would pay.
 */
export function readParsedDocument(root: string, text: string): unknown {
  let parsed: string;
  try {
    parsed = readFileSync(join(root, PARSED_PATH), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const end = parsed.indexOf('\n');
  if (parsed.slice(0, end) !== createHash('sha256').update(text).digest('hex')) return null;
  return JSON.parse(parsed.slice(end + 1));
}
