import { tmpdir } from 'node:os';
import { thisMachine } from '../../src/adapters/host/machine.ts';
import { readConfigFile } from '../../src/adapters/system/config-file.ts';
import { readFlags } from '../../src/core/config/flags.ts';
import type { ConfigSources, Resolved } from '../../src/core/config/resolve.ts';
import { serverConfig, type ServerConfig } from '../../src/core/config/server-config.ts';
import { workerConfig, type WorkerConfig } from '../../src/core/config/worker-config.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** Returns the sources of a daemon's configuration, given the arguments after its name. */
function sourcesOf(args: readonly string[]): ConfigSources {
  const read = readFlags(args);
  if (!read.ok) throw new CommandError(EXIT.usage, read.lines.join('\n'));
  if (read.configFile === null) return { file: null, environment: process.env, flags: read.flags };
  const file = readConfigFile(read.configFile);
  if (!file.ok) throw new CommandError(EXIT.usage, file.line);
  return {
    file: { path: read.configFile, document: file.document },
    environment: process.env,
    flags: read.flags,
  };
}

function valuesOf<Config>(resolved: Resolved<Config>): Config {
  if (!resolved.ok) throw new CommandError(EXIT.usage, resolved.lines.join('\n'));
  for (const note of resolved.notes) console.error(note);
  return resolved.values;
}

/** Returns the configuration of `callsheet server`. Throws a CommandError with one line per error. */
export const serverConfigOf = (args: readonly string[]): ServerConfig =>
  valuesOf(serverConfig(sourcesOf(args)));

/** Returns the configuration of `callsheet worker` on this machine. Throws a CommandError with one line per error. */
export const workerConfigOf = (args: readonly string[]): WorkerConfig =>
  valuesOf(workerConfig(sourcesOf(args), { ...thisMachine(), temporaryDirectory: tmpdir() }));
