import type { EngineName, HttpEngine } from './engine.ts';
import { nodeEngine } from './node/node-engine.ts';
import { findBinary, loadBinary, thisPlatform } from './uws/binary.ts';
import { uwsEngine } from './uws/uws-engine.ts';

/** `http.engine`. */
export type EngineChoice = 'auto' | EngineName;

export interface SelectedEngine {
  readonly engine: HttpEngine;
  /** Why it is this engine. */
  readonly reason: string;
  /** True if uWebSockets.js was wanted and cannot be used. */
  readonly isFallback: boolean;
}

/**
 * Selects the engine: uWebSockets.js if its binary for this version of Node is present, has the pinned checksum and can be loaded,
 * otherwise node:http. Throws if uWebSockets.js is required and cannot be used.
 */
export function selectEngine(choice: EngineChoice): SelectedEngine {
  if (choice === 'node') return { engine: nodeEngine, reason: 'http.engine selects it', isFallback: false };
  const found = load();
  if (found.ok) {
    const reason = choice === 'uws' ? 'http.engine selects it' : 'its binary has the pinned checksum';
    return { engine: found.engine, reason, isFallback: false };
  }
  if (choice === 'uws') throw new Error(`http.engine is uws, but ${found.reason}`);
  return { engine: nodeEngine, reason: found.reason, isFallback: true };
}

function load():
  | { readonly ok: true; readonly engine: HttpEngine }
  | { readonly ok: false; readonly reason: string } {
  const binary = findBinary(thisPlatform());
  if (!binary.ok) return binary;
  try {
    return { ok: true, engine: uwsEngine(loadBinary(binary.file)) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: `${binary.file} cannot be loaded: ${text}` };
  }
}
