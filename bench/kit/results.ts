import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** Milliseconds by quantile: 0.5 is the median. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

export const resultsFolder = new URL('bench/results/', packageRoot);

/** Saves the figures of a bench as JSON, with the machine and the options of the run. */
export function saveResult(bench: string, figures: object): void {
  const folder = resultsFolder;
  mkdirSync(folder, { recursive: true });
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: packageRoot,
    encoding: 'utf8',
  }).trim();
  const machine = {
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? '',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  };
  const options = process.argv.slice(2);
  const result = { bench, at: new Date().toISOString(), commit, machine, options, figures };
  writeFileSync(new URL(`${bench}.json`, folder), `${JSON.stringify(result, null, 2)}\n`);
}
