import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load, SwarmCommand, SwarmFigures, SwarmNotice } from './swarm-protocol.ts';

/** Workers in a separate process, so that their processor time is counted separately. */
export interface WorkerSwarm {
  /**
   * Runs a load on the service and returns the measurements of the workers between warm-up and end. `window` is called
   * at the start and the end of the measured time.
   */
  measure(load: Load, times: LoadTimes, window?: (at: 'begin' | 'end') => void): Promise<SwarmFigures>;
  stop(): Promise<void>;
}

export interface LoadTimes {
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/**
 * Starts `workers` workers of `cores` cores on the bus of a service on this machine. Resolves when all are registered.
 * `echoSeed`: seed of the user that sends echoes.
 */
export async function startSwarm(
  busPort: number,
  workers: number,
  cores: number,
  echoSeed: string | null = null,
): Promise<WorkerSwarm> {
  const child = fork(fileURLToPath(new URL('./swarm-process.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = (): Promise<void> => {
    if (child.connected) say(child, { type: 'stop' });
    return ended;
  };
  try {
    await until(child, { type: 'start', busPort, workers, cores, echoSeed }, (notice) =>
      notice.type === 'ready' ? true : null,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
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
