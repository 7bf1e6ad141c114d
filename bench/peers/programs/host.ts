import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { WorkFigures } from '../peer.ts';

/** Input of a program of workers or of a submitter. */
export interface Order {
  readonly role: 'submit' | 'work';
  /** The folder with the packages of the peers. */
  readonly packages: string;
  readonly port: number;
  readonly workers: number;
  readonly tasks: number;
  /** Number of tasks at the start that are not timed: the warm-up is not measured. */
  readonly warmUp: number;
  /** Variant, if the system has several. */
  readonly variant: string;
  /** Start settings of the system that the workers need. */
  readonly details: Readonly<Record<string, string>>;
}

/** Messages of a program to the bench: first that it is connected, then, after the start signal, its measurements. */
export type ProgramReport =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly seconds: number; readonly figures: WorkFigures | null };

/** Connects, and returns the function to be timed. */
export type Prepare = (order: Order) => Promise<() => Promise<WorkFigures | null>>;

/** Loads a package of the peers by its name. The caller declares the type of what it uses. */
export function loadPackage(packages: string, name: string): unknown {
  return createRequire(join(packages, 'package.json'))(name);
}

/** Runs a program of the comparison: a separate process, which ends after its task. */
export async function runProgram(prepare: Prepare): Promise<void> {
  // The process is not needed without the bench.
  process.once('disconnect', () => process.exit(1));
  const go = new Promise<void>((resolve) => process.once('message', () => resolve()));
  const act = await prepare(JSON.parse(process.argv[2] ?? '{}') as Order);
  await say({ type: 'ready' });
  await go;
  const startedAt = performance.now();
  const figures = await act();
  await say({ type: 'done', seconds: (performance.now() - startedAt) / 1000, figures });
  // Clients of the peers keep connections and timers, but the measurement has ended.
  process.exit(0);
}

function say(said: ProgramReport): Promise<void> {
  return new Promise((resolve, reject) => {
    if (process.send === undefined) reject(new Error('this program is run by bench/peers'));
    else process.send(said, undefined, {}, (error) => (error === null ? resolve() : reject(error)));
  });
}
