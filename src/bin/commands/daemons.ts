import { Command } from 'commander';
import { environmentName, flagName } from '../../core/config/key-names.ts';
import { DAEMONS, type Daemon, type KeySet } from '../../core/config/keys.ts';
import type { LogConfig } from '../../core/config/server-config.ts';
import { serverConfigOf, workerConfigOf } from './daemon-config.ts';
import { CommandError, EXIT } from './exit-codes.ts';

/** The flags of a daemon, from the schema. */
function flagHelp(daemon: Daemon): string {
  const keys: KeySet = DAEMONS[daemon];
  const lines = Object.entries(keys).map(([name, key]) => {
    const standard = key.default === '' ? (key.defaultMeans ?? 'empty') : key.default;
    return `  ${flagName(name)} (${environmentName(name)}): ${key.type.label}; default: ${standard}\n      ${key.description}`;
  });
  return [
    '',
    'Configuration, weakest first: defaults, the file, environment variables, flags.',
    ...lines,
    '',
  ].join('\n');
}

/** A daemon's flags are the configuration schema's, which reads them itself: one place says what is wrong and where. */
function daemonCommand(
  daemon: Daemon,
  description: string,
  start: (args: readonly string[]) => Promise<void>,
): Command {
  return new Command(daemon)
    .description(description)
    .usage('[--config FILE] [--a-b-c VALUE]...')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', flagHelp(daemon))
    .action((_options: unknown, command: Command) => start(command.args));
}

/** A daemon that cannot start says why in one line; where it happened is for whoever debugs. */
async function started(running: Promise<void>, log: LogConfig): Promise<void> {
  try {
    await running;
  } catch (error) {
    if (log.level === 'debug' || !(error instanceof Error)) throw error;
    throw new CommandError(EXIT.failed, error.message);
  }
}

/** `callsheet server`. A daemon's code is loaded only when it is asked for. */
export const serverCommand = (): Command =>
  daemonCommand('server', 'Run the service: scheduler, REST API and the message bus.', async (args) => {
    const config = serverConfigOf(args);
    const { runServer } = await import('../server.ts');
    await started(runServer(config), config.log);
  });

/** `callsheet worker` */
export const workerCommand = (): Command =>
  daemonCommand(
    'worker',
    'Run a worker: it takes tasks from the service and runs them on this machine.',
    async (args) => {
      const config = workerConfigOf(args);
      const { runWorker } = await import('../worker.ts');
      await started(runWorker(config), config.log);
    },
  );
