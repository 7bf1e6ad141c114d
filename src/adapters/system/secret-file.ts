import { readFileSync, statSync } from 'node:fs';
import type { SecretSource } from '../../core/config/secret-source.ts';

/** Secrets, credentials and certificates are short; a larger file is not one of them. */
const FILE_BYTES_MAX = 1024 * 1024;

/**
 * Returns the secret of the key `name`, null if there is none. A file is read now; the line feed at its end is not part
 * of the secret.
 *
 * @throws Error that names the key and the path, but not the content, if the file cannot be used or does not contain
 *   exactly one line of text.
 */
export function readSecret(name: string, source: SecretSource): string | null {
  if (source === null) return null;
  if ('text' in source) return source.text;
  const fileKey = `${name}_file`;
  const secret = contentOfFile(fileKey, source.file)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (secret === '' || /[\u0000-\u001f\u007f]/.test(secret))
    throw new Error(`${fileKey}: the file ${source.file} must contain one line of text`);
  return secret;
}

/**
 * Returns the content of a file that a configuration key names.
 *
 * @throws Error that names the key and the path if the file cannot be read or is larger than 1 MiB.
 */
export function contentOfFile(key: string, path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${key}: the file ${path} cannot be used: ${reason}`);
  }
}
