import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type {
  Load,
  ReconnectFigures,
  SwarmCommand,
  SwarmFigures,
  SwarmNotice,
  SwarmOptions,
} from './swarm-protocol.ts';

/** Workers in a separate process, so that their processor time is counted separately. */
export interface WorkerSwarm {
  readonly pid: number;
  /** Milliseconds of the exchange of the join token, and from then on until all workers were registered. */
  readonly joinMs: number;
  readonly registerMs: number;
  /**
   * Runs a load on the service and returns the measurements of the workers between warm-up and end. `window` is called
   * at the start and the end of the measured time.
   */
  measure(load: Load, times: LoadTimes, window?: (at: 'begin' | 'end') => void): Promise<SwarmFigures>;
  /** Resolves when every worker has lost its connection and connected again. Requires the option `reconnects`. */
  reconnected(): Promise<ReconnectFigures>;
  stop(): Promise<void>;
}

export interface LoadTimes {
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/**
 * Starts `workers` workers of `cores` cores on the bus of a service on this machine; if it has several servers, the workers
 * connect to them in turn. Resolves when all are registered. By default the workers have no credentials.
 */
export async function startSwarm(
  busPort: number | readonly number[],
  workers: number,
  cores: number,
  options: Partial<SwarmOptions> = {},
): Promise<WorkerSwarm> {
  const child = fork(fileURLToPath(new URL('./swarm-process.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = (): Promise<void> => {
    if (child.connected) say(child, { type: 'stop' });
    return ended;
  };
  const busPorts = typeof busPort === 'number' ? [busPort] : busPort;
  const all: SwarmOptions = {
    echoSeed: null,
    joinToken: null,
    reconnects: false,
    namePrefix: 'swarm',
    ...options,
  };
  let ready;
  try {
    ready = await until(child, { type: 'start', busPorts, workers, cores, options: all }, (notice) =>
      notice.type === 'ready' ? notice : null,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    pid: child.pid ?? 0,
    joinMs: ready.joinMs,
    registerMs: ready.registerMs,
    reconnected: () =>
      until(child, { type: 'reconnect' }, (notice) =>
        notice.type === 'reconnected' ? notice.figures : null,
      ),
    measure: (load, times, window) =>
      until(child, { type: 'measure', load, ...times }, (notice) => {
        if (notice.type === 'window') window?.(notice.at);
        return notice.type === 'measured' ? notice.figures : null;
      }),
    stop,
  };
}

function say(child: ChildProcess, command: SwarmCommand): void {
  child.send(command);
}

/** Sends an order to the swarm. Resolves with the first result of `answer` for a notice that is not null. */
function until<Answer>(
  child: ChildProcess,
  command: SwarmCommand,
  answer: (notice: SwarmNotice) => Answer | null,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      child.off('message', hear);
      child.off('exit', gone);
    };
    const hear = (notice: SwarmNotice): void => {
      if (notice.type === 'failed') {
        finish();
        reject(new Error(`the swarm failed: ${notice.reason}`));
        return;
      }
      const made = answer(notice);
      if (made === null) return;
      finish();
      resolve(made);
    };
    const gone = (code: number | null): void => {
      finish();
      reject(new Error(`the process of the swarm ended with code ${code}`));
    };
    child.on('message', hear);
    child.once('exit', gone);
    say(child, command);
  });
}
