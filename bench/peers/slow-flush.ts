import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { type Installation, Missing } from './installation.ts';

/** A tenth of a second: slower than any suitable disk for the store of a farm. */
const MOST_FLUSH_US = 100_000;

/** Microseconds per flush: medians of a separate process. */
export interface FlushTimes {
  /** 4 KiB written at the end of a file, then fdatasync. */
  readonly fdatasync: number;
  /** 4 KiB written to a file that was opened with O_DSYNC. */
  readonly o_dsync: number;
}

/** The compiled library. Every process with its environment flushes slowly. */
export interface SlowFlush {
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/** Parses `--flush-us`: whole microseconds, null if it is not given. Throws for invalid values. */
export function readFlushUs(text: string | undefined): number | null {
  if (text === undefined) return null;
  const us = /^\d+$/.test(text) ? Number(text) : 0;
  if (us < 1 || us > MOST_FLUSH_US)
    throw new Error(`--flush-us is a whole number of microseconds from 1 to ${MOST_FLUSH_US}, not ${text}`);
  return us;
}

/** Returns the name of the results. Those with slow flushes have a separate name, so that both are kept. */
export const resultName = (flushUs: number | null): string =>
  flushUs === null ? 'peers' : `peers-flush-${flushUs}`;

/** Environment that makes a program load the library before all others. */
export function preloading(library: string, before?: string): Readonly<Record<'LD_PRELOAD', string>> {
  return { LD_PRELOAD: before === undefined || before === '' ? library : `${library}:${before}` };
}

/** Compiles slow-flush.c into a temporary folder. Throws `Missing` if this is not Linux or there is no compiler. */
export function compileSlowFlush(installation: Installation, flushUs: number): SlowFlush {
  if (process.platform !== 'linux') throw new Missing('flushes can be slowed on Linux alone');
  const compiler = installation.program('cc');
  const source = fileURLToPath(new URL('bench/peers/slow-flush.c', packageRoot));
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-bench-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // PostgreSQL's server runs as another user and loads it too.
  chmodSync(folder, 0o755);
  const library = join(folder, 'slow-flush.so');
  const { status, stderr } = spawnSync(
    compiler,
    ['-O2', '-shared', '-fPIC', `-DFLUSH_US=${flushUs}`, '-o', library, source, '-ldl'],
    { encoding: 'utf8' },
  );
  if (status !== 0) {
    remove();
    throw new Missing(`${compiler} could not compile ${source} (libc6-dev is needed too): ${stderr}`);
  }
  return { environment: preloading(library, process.env['LD_PRELOAD']), remove };
}

/** Times flushes in the folder of the systems' stores, in a process with this environment. */
export function timeFlushes(environment: NodeJS.ProcessEnv): FlushTimes {
  const file = fileURLToPath(new URL('./programs/flushes.js', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, [file], { env: environment, encoding: 'utf8' }),
  ) as FlushTimes;
}
