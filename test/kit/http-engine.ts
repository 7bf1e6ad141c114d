import type { HttpEngine } from '../../http/server/engine.ts';
import { selectEngine } from '../../http/server/select-engine.ts';

/** Selects the HTTP engine of all tests that start a service: `uws`, `node`, or `auto` if it is not set. */
const VARIABLE = 'CALLSHEET_HTTP_ENGINE';

type Choice = 'auto' | 'uws' | 'node';

const choice = (): Choice => {
  const value = process.env[VARIABLE] ?? '';
  if (value === 'uws' || value === 'node') return value;
  if (value !== '' && value !== 'auto') throw new Error(`${VARIABLE} is ${value}, not uws, node or auto`);
  return 'auto';
};

const engines = new Map<Choice, HttpEngine>();

/** Returns the engine that the tests use. It is selected once, because the checksum of its binary takes some time. */
export function testEngine(): HttpEngine {
  const chosen = choice();
  const engine = engines.get(chosen) ?? selectEngine(chosen).engine;
  engines.set(chosen, engine);
  return engine;
}

/** Environment that selects the engine in a daemon under test. */
export const engineEnvironment = (): Readonly<Record<string, string>> => ({ SVC_HTTP_ENGINE: choice() });
