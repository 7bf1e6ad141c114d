import { readFileSync, statSync } from 'node:fs';
import type { SecretSource } from '../../../core/config/bus-access.ts';

const FILE_BYTES_MAX = 64 * 1024;

/**
 * Returns the secret of the client, without the line feed at the end of its file. Null: the client has none.
 *
 * @throws Error that names the key and the path if the file cannot be used.
 */
export function readClientSecret(source: SecretSource): string | null {
  if (source === null) return null;
  if ('text' in source) return source.text;
  const secret = contentOf(source.file).replace(/\r?\n$/, '');
  if (secret === '' || /[\u0000-\u001f\u007f]/.test(secret))
    throw new Error(`auth.oidc.client_secret_file: the file ${source.file} must contain one line of text`);
  return secret;
}

function contentOf(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX) throw new Error(`it has ${size} bytes, at most ${FILE_BYTES_MAX} are allowed`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`auth.oidc.client_secret_file: cannot read ${path}: ${why}`);
  }
}
