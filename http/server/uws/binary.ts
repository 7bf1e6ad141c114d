import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Uws from 'uWebSockets.js';
import './declarations.ts';
import { packageRoot } from '../../openapi/package-root.ts';
import { HEAD_BYTES_MAX } from '../engine.ts';

/** The engine's module: what its binary exports. */
export type UwsModule = typeof Uws;

/**
 * The binaries of uws-pack 20.0.8 that may be loaded, with their SHA-256: Node 20 (115) and 22 (127) on Linux with glibc and on
 * macOS. Others are never loaded.
 */
export const PINNED: Readonly<Record<string, string>> = {
  'uws_linux_x64_115.node': '6f8d96d761a64beddb060f1f7f0e617dd293ed127ec1d57507aa561a0083171e',
  'uws_linux_x64_127.node': '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
  'uws_linux_arm64_115.node': 'c0e29fc143b46b584f3debec7910014ec228198fc1f17aaeacd1de7991bd3769',
  'uws_linux_arm64_127.node': 'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
  'uws_darwin_x64_115.node': '1f2a5c73d9dc3066d39b675b73f2c50eddbc4f270d292a6126ddfe3757c54cf9',
  'uws_darwin_x64_127.node': 'afd992dc1ca1e33cdc7ce0c72a60baf236e590a257fcecbbbce7bc1a35451387',
  'uws_darwin_arm64_115.node': '5d523bccbe80d3d8fa59422ff81801b8179212b9a8a5da28bff6926a95a65701',
  'uws_darwin_arm64_127.node': 'abbeea53d48e21c01808203e9f9835728f2cea720d2e5b154837ee3045b513be',
};

/** Where binaries are: the package has those that it ships in its own folder, and a checkout has them in node_modules. */
const FOLDERS = ['dist/engine', 'node_modules/uWebSockets.js/dist/bin'];

/** System and version of Node of a binary. */
export interface Platform {
  readonly platform: string;
  readonly arch: string;
  /** `process.versions.modules`. */
  readonly abi: string;
  /** `process.version`. */
  readonly node: string;
}

export type FoundBinary =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly reason: string };

export const thisPlatform = (): Platform => ({
  platform: process.platform,
  arch: process.arch,
  abi: process.versions.modules,
  node: process.version,
});

/** Finds the binary for a platform, and compares its checksum with the pinned one. */
export function findBinary(
  { platform, arch, abi, node }: Platform,
  folders: readonly string[] = FOLDERS.map((folder) => join(packageRoot(), folder)),
  pinned: Readonly<Record<string, string>> = PINNED,
): FoundBinary {
  const name = `uws_${platform}_${arch}_${abi}.node`;
  const checksum = pinned[name];
  if (checksum === undefined)
    return { ok: false, reason: `there is no uWebSockets.js for Node ${node} on ${platform} ${arch}` };
  const file = folders.map((folder) => join(folder, name)).find((each) => existsSync(each));
  if (file === undefined) return { ok: false, reason: `${name} of uWebSockets.js is not installed` };
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found === checksum) return { ok: true, file };
  return { ok: false, reason: `the checksum of ${file} is ${found}, not the pinned ${checksum}` };
}

/** Loads a binary. Throws if the system cannot load it, for example without glibc. */
export function loadBinary(file: string): UwsModule {
  // The engine reads its limit once, when it is loaded. Its default of about 4 KB is too small for cookies of login providers
  // (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine).
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(HEAD_BYTES_MAX);
  const loaded: unknown = createRequire(import.meta.url)(file);
  if (!isUws(loaded)) throw new Error(`${file} is not uWebSockets.js`);
  return loaded;
}

function isUws(value: unknown): value is UwsModule {
  return typeof value === 'object' && value !== null && 'App' in value && typeof value.App === 'function';
}
