import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { SecretFile } from '../../core/host-check/credential-findings.ts';

const PERMISSIONS = 0o777;
const ROOT = 0;

/** Returns owner and permissions of a file with a secret. Does not throw. */
export async function secretFile(path: string): Promise<SecretFile> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return { ok: false, path, reason: 'not a file' };
    const isOwn = process.getuid === undefined || found.uid === process.getuid() || found.uid === ROOT;
    return { ok: true, path, mode: found.mode & PERMISSIONS, isOwn };
  } catch (error) {
    return { ok: false, path, reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns the time at which a PEM certificate expires, in milliseconds since the epoch.
 *
 * @throws Error if the text is not a certificate.
 */
export const certificateExpiry = (pem: string): number => Date.parse(new X509Certificate(pem).validTo);
