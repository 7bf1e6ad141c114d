import type { HttpEngine } from '../../http/server/engine.ts';
import { selectEngine } from '../../http/server/select-engine.ts';

/** Selects the HTTP engine of all tests that start a service: `uws`, `node`, or `auto` if it is not set. */
const VARIABLE = 'CALLSHEET_HTTP_ENGINE';

const choice = (): 'auto' | 'uws' | 'node' => {
  const value = process.env[VARIABLE] ?? '';
  if (value === 'uws' || value === 'node') return value;
  if (value !== '' && value !== 'auto') throw new Error(`${VARIABLE} is ${value}, not uws, node or auto`);
  return 'auto';
};

/** Returns the engine that the tests use. */
export const testEngine = (): HttpEngine => selectEngine(choice()).engine;

/** Environment that selects the engine in a daemon under test. */
export const engineEnvironment = (): Readonly<Record<string, string>> => ({ SVC_HTTP_ENGINE: choice() });
