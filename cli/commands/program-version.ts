import { readFileSync } from 'node:fs';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** Returns the version of this program, from its package. */
export function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '';
}
