import type { Controller } from '../host/cgroup-controllers.ts';
import type { SessionLimits } from './limit-settings.ts';

/** A file of a control group and what is written to it. */
export interface LimitFile {
  /** For messages: `memory limit`. */
  readonly part: string;
  readonly controller: Controller;
  readonly file: string;
  readonly value: string;
  /** Not all kernels have it: an accounting of swap that is not compiled in. */
  readonly isOptional?: true;
}

const MIB = 1024 * 1024;
const PERIOD_US = 100_000;
const SHARES_PER_CORE = 1024;
const SHARES_MAX = 262_144;
const WEIGHT_PER_CORE = 100;
const WEIGHT_MAX = 10_000;

/** Returns the files for the limits, in the order in which they are written, for a version of control groups. */
export function limitFiles(version: 1 | 2, limits: SessionLimits): readonly LimitFile[] {
  return version === 1 ? filesOfVersionOne(limits) : filesOfVersionTwo(limits);
}

function filesOfVersionOne({ memoryMib, pids, cores, quotaCores }: SessionLimits): readonly LimitFile[] {
  const files: LimitFile[] = [];
  if (memoryMib !== null) {
    const value = String(memoryMib * MIB);
    const memory = { part: 'memory limit', controller: 'memory', value } as const;
    files.push({ ...memory, file: 'memory.limit_in_bytes' });
    // Memory and swap together: it must not be less than the limit of memory.
    files.push({ ...memory, file: 'memory.memsw.limit_in_bytes', isOptional: true });
  }
  if (pids !== null)
    files.push({ part: 'process limit', controller: 'pids', file: 'pids.max', value: String(pids) });
  if (cores !== null)
    files.push({
      part: 'CPU weight',
      controller: 'cpu',
      file: 'cpu.shares',
      value: String(within(cores * SHARES_PER_CORE, 2, SHARES_MAX)),
    });
  if (quotaCores !== null) {
    const whole = { part: 'whole cores', controller: 'cpu' } as const;
    files.push({ ...whole, file: 'cpu.cfs_period_us', value: String(PERIOD_US) });
    files.push({ ...whole, file: 'cpu.cfs_quota_us', value: String(quotaOf(quotaCores)) });
  }
  return files;
}

function filesOfVersionTwo({ memoryMib, pids, cores, quotaCores }: SessionLimits): readonly LimitFile[] {
  const files: LimitFile[] = [];
  if (memoryMib !== null) {
    const memory = { part: 'memory limit', controller: 'memory' } as const;
    files.push({ ...memory, file: 'memory.max', value: String(memoryMib * MIB) });
    files.push({ ...memory, file: 'memory.swap.max', value: '0', isOptional: true });
  }
  if (pids !== null)
    files.push({ part: 'process limit', controller: 'pids', file: 'pids.max', value: String(pids) });
  if (cores !== null)
    files.push({
      part: 'CPU weight',
      controller: 'cpu',
      file: 'cpu.weight',
      value: String(within(cores * WEIGHT_PER_CORE, 1, WEIGHT_MAX)),
    });
  if (quotaCores !== null)
    files.push({
      part: 'whole cores',
      controller: 'cpu',
      file: 'cpu.max',
      value: `${quotaOf(quotaCores)} ${PERIOD_US}`,
    });
  return files;
}

/** The kernel accepts no quota below a hundredth of a core. */
const quotaOf = (cores: number): number => Math.max(PERIOD_US / 100, Math.round(cores * PERIOD_US));

const within = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.round(value)));
