import { tmpdir } from 'node:os';
import { thisMachine } from '../../src/adapters/host/machine.ts';
import { readConfigFile } from '../../src/adapters/system/config-file.ts';
import { clearArguments, clearVariables } from '../../src/adapters/system/own-environment.ts';
import { isSecretVariable, variableTest } from '../../src/core/access/denied-variables.ts';
import { readFlags } from '../../src/core/config/flags.ts';
import type { ConfigSources, Resolved } from '../../src/core/config/resolve.ts';
import { serverConfig, type ServerConfig } from '../../src/core/config/server-config.ts';
import { workerConfig, type WorkerConfig } from '../../src/core/config/worker-config.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

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

/**
 * Returns the configuration of `callsheet server`, and removes secrets from the environment of the process. Throws a
 * CommandError with one line per error.
 */
export function serverConfigOf(args: readonly string[]): ServerConfig {
  const config = valuesOf(serverConfig(sourcesOf(args)));
  hideSecrets(isSecretVariable, () => false);
  return config;
}

/**
 * Returns the configuration of `callsheet worker` on this machine, and removes secrets from the environment of the
 * process. Throws a CommandError with one line per error.
 */
export function workerConfigOf(args: readonly string[]): WorkerConfig {
  const config = valuesOf(workerConfig(sourcesOf(args), { ...thisMachine(), temporaryDirectory: tmpdir() }));
  const isDenied = variableTest(config.isolation.envDeny);
  // The library for S3 reads AWS_*, and the daemon may need variables that only jobs must not have, such as PATH.
  const isNeeded = (name: string): boolean => name.startsWith('AWS_') || !isSecretVariable(name);
  hideSecrets((name) => isSecretVariable(name) || isDenied(name), isNeeded);
  return config;
}

/**
 * Secrets in flags: credentials in URLs of the bus, and join tokens; other secret keys have no flags. Every account can read
 * arguments.
 */
const SECRET_ARGUMENTS = /(?<=(?:nats|tls):\/\/)[^\0\s/@,]+(?=@)|csj1_[^\0\s]+/g;

/** Makes secrets unreadable in /proc. Prints a line if that is impossible. */
function hideSecrets(isCleared: (name: string) => boolean, isKept: (name: string) => boolean): void {
  const readable = clearVariables({ isCleared, isKept });
  if (readable !== null)
    console.error(
      `secret variables of this process stay readable for its account and its jobs: ${readable}; use the *_file keys`,
    );
  const shown = clearArguments(SECRET_ARGUMENTS);
  if (shown !== null)
    console.error(`secrets in the flags of this process stay readable: ${shown}; use the *_file keys`);
}
