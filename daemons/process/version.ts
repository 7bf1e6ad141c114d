import { readFileSync } from 'node:fs';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** docs/contract/rest.md#authentication-routes, GET /version. */
export interface VersionFacts {
  readonly version: string;
  readonly commit: string;
  readonly builtAt: string;
  readonly node: string;
}

interface BuildStamp {
  readonly commit: string;
  readonly built_at: string;
}

/**
 * Returns the version from package.json and the build from the stamp that the build writes next to the compiled files.
 */
export function versionFacts(): VersionFacts {
  const { version } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as {
    version: string;
  };
  const stamp = JSON.parse(readFileSync(new URL('dist/build.json', packageRoot), 'utf8')) as BuildStamp;
  return { version, commit: stamp.commit, builtAt: stamp.built_at, node: process.version };
}
