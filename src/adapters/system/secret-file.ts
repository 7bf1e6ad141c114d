import { readFileSync, statSync } from 'node:fs';
import type { SecretSource } from '../../core/config/secret-source.ts';

/** Secrets, credentials and certificates are short; a larger file is not one of them. */
const FILE_BYTES_MAX = 1024 * 1024;

/**
 * Returns a secret, without the line feed at the end of its file. `key` is the configuration key of the file.
 *
 * @throws Error that names the key and the path if the file cannot be used.
 */
export function readSecret(key: string, source: NonNullable<SecretSource>): string {
  if ('text' in source) return source.text;
  const secret = readConfiguredFile(key, source.file)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (secret === '' || /[\u0000-\u001f\u007f]/.test(secret))
    throw new Error(`${key}: the file ${source.file} must contain one line of text`);
  return secret;
}

/**
 * Returns the content of a file that a configuration key names.
 *
 * @throws Error that names the key and the path if the file cannot be used.
 */
export function readConfiguredFile(key: string, path: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX} bytes`);
    return readFileSync(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${key}: the file ${path} cannot be used: ${reason}`);
  }
}
