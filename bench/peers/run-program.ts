import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkFigures } from './peer.ts';
import type { Order, ProgramReport } from './programs/host.ts';

/** Maximum duration of a measurement; a system that hangs is reported as such. */
export const LONGEST_MS = 180_000;

export interface ProgramResult {
  /** Duration from the start signal to its end. */
  readonly seconds: number;
  readonly figures: WorkFigures | null;
}

/** Runs a program of bench/peers/programs in a separate process. It connects first; then its time counts. */
export function runPeerProgram(name: string, order: Order): Promise<ProgramResult> {
  const file = fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url));
  const child = fork(file, [JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} (${order.role}) was not done after ${LONGEST_MS / 1000} s`));
    }, LONGEST_MS);
    let result: ProgramResult | null = null;
    child.on('message', (said: ProgramReport) => {
      if (said.type === 'ready') child.send('go');
      else result = { seconds: said.seconds, figures: said.figures };
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      if (result !== null) resolve(result);
      else reject(new Error(`${name} (${order.role}) ended with ${signal ?? code ?? 'nothing'}`));
    });
  });
}

/** Like `runPeerProgram`, for a program with workers. */
export async function runWorkers(name: string, order: Order): Promise<WorkFigures> {
  const { figures } = await runPeerProgram(name, order);
  if (figures === null) throw new Error(`${name} measured nothing`);
  return figures;
}
