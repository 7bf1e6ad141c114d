#!/usr/bin/env node
/** Starts the compiled command; says how to get it when the sources have not been compiled. */
import { existsSync } from 'node:fs';

const command = new URL('../dist/src/bin/callsheet.js', import.meta.url);

if (existsSync(command)) {
  await import(command.href);
} else {
  console.error(
    'callsheet has not been built yet: run "npm run build" in its folder (or "npm run demo" for everything).',
  );
  process.exitCode = 2;
}
