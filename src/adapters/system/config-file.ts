import { readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';

const FILE_BYTES_MAX = 1024 * 1024;

/** The parsed YAML of a configuration file, or one line with the error. */
export type ReadConfigFile =
  | { readonly ok: true; readonly document: unknown }
  | { readonly ok: false; readonly line: string };

/** Reads a configuration file. It belongs to the operator, so the limits for clients' templates do not apply. */
export function readConfigFile(path: string): ReadConfigFile {
  let content: string;
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX)
      return { ok: false, line: `the file ${path} is larger than ${FILE_BYTES_MAX} bytes` };
    content = readFileSync(path, 'utf8');
  } catch (error) {
    return {
      ok: false,
      line: `the file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const document = parseDocument(content);
  const [first] = document.errors;
  if (first !== undefined) {
    const place =
      first.linePos === undefined ? '' : ` at line ${first.linePos[0].line}, column ${first.linePos[0].col}`;
    const reason = first.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? '';
    return { ok: false, line: `the file ${path} is not valid YAML${place}: ${reason}` };
  }
  return { ok: true, document: document.toJS() };
}
