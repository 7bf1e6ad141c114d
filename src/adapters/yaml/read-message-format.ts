import { parseDocument } from 'yaml';
import { formatOf, type FormatResult } from '../../core/webhooks/message-format.ts';

const CHARACTERS_MAX = 65_536;

/** Reads a format file: YAML, or JSON, which is YAML as well (docs/webhooks.md#formats). */
export function readMessageFormat(name: string, text: string): FormatResult {
  if (text.length > CHARACTERS_MAX)
    return { ok: false, detail: `is longer than ${CHARACTERS_MAX} characters` };
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, detail: error.message.split('\n', 1)[0] ?? '' };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return formatOf(name, value);
  } catch (aliasError) {
    return { ok: false, detail: aliasError instanceof Error ? aliasError.message : String(aliasError) };
  }
}
