import { Command, InvalidArgumentError } from 'commander';
import { environmentName, flagName } from '../../src/core/config/key-names.ts';
import { DAEMONS, type Daemon, type KeySet } from '../../src/core/config/keys.ts';
import type { LogConfig } from '../../src/core/config/server-config.ts';
import type { SimulationOptions } from '../simulated-workers.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** Returns the help text of a daemon's flags, from the configuration schema. */
function flagHelp(daemon: Daemon): string {
  const keys: KeySet = DAEMONS[daemon];
  const lines = Object.entries(keys).map(([name, key]) => {
    const standard = key.default === '' ? (key.defaultMeans ?? 'empty') : key.default;
    return `  ${flagName(name)} (${environmentName(name)}): ${key.type.label}; default: ${standard}\n      ${key.description}`;
  });
  return [
    '',
    'Configuration, lowest precedence first: defaults, the file, environment variables, flags.',
    ...lines,
    '',
  ].join('\n');
}

/**
 * Creates the command of a daemon. The configuration schema parses the flags, so that all errors of a configuration are
 * reported in one format.
 */
function daemonCommand(
  daemon: Daemon,
  description: string,
  start: (args: readonly string[], options: WorkerOptions) => Promise<void>,
): Command {
  return new Command(daemon)
    .description(description)
    .usage('[--config FILE] [--a-b-c VALUE]...')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', flagHelp(daemon))
    .action((options: WorkerOptions, command: Command) => start(command.args, options));
}

/** Options of simulated workers in one process. */
const SIMULATED_MAX = 100_000;
const TASK_SECONDS = 10;
const TASK_SECONDS_MAX = 86_400;
const LOG_LINES_MAX = 1_000_000;

interface WorkerOptions {
  readonly simulate?: number;
  readonly taskSeconds?: number;
  readonly failPercent?: number;
  readonly taskLogLines?: number;
}

/** Returns a parser of a number in a range. */
const within =
  (min: number, max: number, form: RegExp = /^[0-9]{1,9}(\.[0-9]{1,9})?$/) =>
  (given: string): number => {
    const value = Number(given);
    if (!form.test(given) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return value;
  };

const WHOLE = /^[0-9]{1,9}$/;

/** Returns the options of the simulation, or null without `--simulate`. */
function simulationOf(options: WorkerOptions): SimulationOptions | null {
  const { simulate, taskSeconds, failPercent, taskLogLines } = options;
  if (simulate === undefined) {
    if (taskSeconds !== undefined || failPercent !== undefined || taskLogLines !== undefined)
      throw new CommandError(
        EXIT.usage,
        '--task-seconds, --fail-percent and --task-log-lines need --simulate',
      );
    return null;
  }
  return {
    workers: simulate,
    taskMs: (taskSeconds ?? TASK_SECONDS) * 1000,
    failPercent: failPercent ?? 0,
    logLines: taskLogLines ?? 0,
  };
}

/** Waits for a daemon. A failed start becomes one line; with the log level `debug` it keeps its stack. */
async function started(running: Promise<void>, log: LogConfig): Promise<void> {
  try {
    await running;
  } catch (error) {
    if (log.level === 'debug' || !(error instanceof Error)) throw error;
    throw new CommandError(EXIT.failed, error.message);
  }
}

/** `callsheet server`. Loads the code of the daemon and of its configuration only when the command runs. */
export const serverCommand = (): Command =>
  daemonCommand('server', 'Run the server: scheduler, REST API and the message bus.', async (args) => {
    const { serverConfigOf } = await import('./daemon-config.ts');
    const config = serverConfigOf(args);
    const { runServer } = await import('../../daemons/server/server.ts');
    await started(runServer(config), config.log);
  });

/** `callsheet worker` */
export const workerCommand = (): Command =>
  daemonCommand(
    'worker',
    'Run a worker: it takes tasks from the server and runs them on this machine.',
    async (args, options) => {
      const simulation = simulationOf(options);
      const { workerConfigOf } = await import('./daemon-config.ts');
      const config = workerConfigOf(args);
      if (simulation === null) {
        const { runWorker } = await import('../../daemons/worker/worker.ts');
        await started(runWorker(config), config.log);
      } else {
        const { runSimulatedWorkers } = await import('../simulated-workers.ts');
        await started(runSimulatedWorkers(config, simulation), config.log);
      }
    },
  )
    .option(
      '--simulate <n>',
      `simulate this many workers that lease, report and log but run nothing, to size a farm (1 to ${SIMULATED_MAX})`,
      within(1, SIMULATED_MAX, WHOLE),
    )
    .option(
      '--task-seconds <s>',
      'mean duration of a simulated task; each takes half to one and a half of it (10)',
      within(0, TASK_SECONDS_MAX),
    )
    .option('--fail-percent <p>', 'percentage of simulated tasks that fail (0)', within(0, 100))
    .option('--task-log-lines <n>', 'lines that a simulated task logs (0)', within(0, LOG_LINES_MAX, WHOLE));
