#!/usr/bin/env node
/** Starts the compiled command; says how to get it when the sources have not been compiled. */
import { existsSync } from 'node:fs';

const command = new URL('../dist/program/callsheet.js', import.meta.url);

if (existsSync(command)) {
  // Until the daemon listens to them itself, nothing has been opened that would have to be closed.
  if (['server', 'worker'].includes(process.argv[2]))
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
  await import(command.href);
} else {
  console.error(
    'callsheet has not been built yet: run "npm run build" in its folder (or "npm run demo" for everything).',
  );
  process.exitCode = 2;
}
