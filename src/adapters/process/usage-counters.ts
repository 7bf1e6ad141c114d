import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { OutOfMemory, ResourceUsage } from '../../core/resource-usage.ts';
import { isRefusal } from './session-cgroup.ts';

const MIB = 1024 * 1024;
const MICROSECONDS_PER_MS = 1000;
const NANOSECONDS_PER_MS = 1_000_000;

/** Part of its limit from which on a task is considered to be at it. */
const AT_LIMIT = 0.98;

/** Groups of a session whose counters are read. Null: there is none. */
export interface CounterGroups {
  readonly memory: { readonly version: 1 | 2; readonly directory: string } | null;
  /** Of version 1: with `cpuacct.usage`. */
  readonly cpuacct: string | null;
  /** Of version 2: with `cpu.stat`, which needs no controller. */
  readonly unified: string | null;
}

/** Limit and request of the session, for the report of an out-of-memory kill. */
export type MemoryTerms = Pick<OutOfMemory, 'limitMib' | 'requestedMib'>;

interface Values {
  readonly peakBytes: number | null;
  readonly cpuMs: number | null;
  readonly kills: number;
  readonly limitHits: number;
}

/**
 * Memory and CPU time that the actions of a session use, from the counters of its control groups. The files stay open: a task of a second
 * costs three short reads.
 */
export class UsageCounters {
  private readonly peak: CounterFile | null;
  private readonly kills: CounterFile | null;
  /** Of memory, and of memory and swap together. */
  private readonly hits: readonly (CounterFile | null)[];
  private readonly cpu: CounterFile | null;
  private readonly cpuUnitsPerMs: number;
  private readonly terms: MemoryTerms;
  private before: Values = { peakBytes: null, cpuMs: null, kills: 0, limitHits: 0 };
  private isPeakReset = false;

  constructor({ memory, cpuacct, unified }: CounterGroups, terms: MemoryTerms) {
    this.terms = terms;
    const isOld = memory?.version === 1;
    const file = (name: string, key: string | null, writes = false): CounterFile | null =>
      memory === null ? null : CounterFile.open(join(memory.directory, name), key, writes);
    this.peak = isOld ? file('memory.max_usage_in_bytes', null, true) : file('memory.peak', null, true);
    this.kills = isOld ? file('memory.oom_control', 'oom_kill') : file('memory.events', 'oom_kill');
    this.hits = isOld
      ? [file('memory.failcnt', null), file('memory.memsw.failcnt', null)]
      : [file('memory.events', 'oom')];
    const stat = unified === null ? null : CounterFile.open(join(unified, 'cpu.stat'), 'usage_usec');
    this.cpu = stat ?? (cpuacct === null ? null : CounterFile.open(join(cpuacct, 'cpuacct.usage'), null));
    this.cpuUnitsPerMs = stat === null ? NANOSECONDS_PER_MS : MICROSECONDS_PER_MS;
  }

  /** An action of the session starts. */
  begin(): void {
    this.isPeakReset = this.peak?.reset() === true;
    this.before = this.values();
  }

  /** Returns what was used since `begin`. */
  used(): ResourceUsage {
    const now = this.values();
    const { before } = this;
    const peakBytes = this.peakSince(before.peakBytes, now.peakBytes);
    const wasKilled = now.kills > before.kills;
    return {
      ...(peakBytes !== null && { maxRssMib: Math.ceil(peakBytes / MIB) }),
      ...(now.cpuMs !== null &&
        before.cpuMs !== null && { cpuMs: Math.max(0, Math.round(now.cpuMs - before.cpuMs)) }),
      ...(wasKilled && {
        outOfMemory: {
          ...this.terms,
          wasOwnLimit: now.limitHits > before.limitHits || this.isAtLimit(now.peakBytes),
        },
      }),
    };
  }

  close(): void {
    for (const file of [this.peak, this.kills, this.cpu, ...this.hits]) file?.close();
  }

  /** Kernels do not count every refusal in groups of version 1. */
  private isAtLimit(peakBytes: number | null): boolean {
    const { limitMib } = this.terms;
    return limitMib !== null && peakBytes !== null && peakBytes >= AT_LIMIT * limitMib * MIB;
  }

  /** A peak that cannot be reset is known only if it has risen: otherwise it is that of an earlier action. */
  private peakSince(before: number | null, now: number | null): number | null {
    if (now === null) return null;
    return this.isPeakReset || before === null || now > before ? now : null;
  }

  private values(): Values {
    const cpu = this.cpu?.read() ?? null;
    return {
      peakBytes: this.peak?.read() ?? null,
      cpuMs: cpu === null ? null : cpu / this.cpuUnitsPerMs,
      kills: this.kills?.read() ?? 0,
      limitHits: this.hits.reduce((sum, file) => sum + (file?.read() ?? 0), 0),
    };
  }
}

/** Longer than any of these files. */
const buffer = Buffer.allocUnsafe(4096);

/** A counter in an open file of a control group. */
class CounterFile {
  private readonly descriptor: number;
  /** Name before the value; null if the value is all of the file. */
  private readonly key: string | null;
  private isWritable: boolean;
  private isOpen = true;

  private constructor(descriptor: number, key: string | null, isWritable: boolean) {
    this.descriptor = descriptor;
    this.key = key;
    this.isWritable = isWritable;
  }

  /** Returns null if the kernel has no such file. `writes`: whether it is reset. */
  static open(path: string, key: string | null, writes = false): CounterFile | null {
    for (const isWritable of writes ? [true, false] : [false]) {
      try {
        return new CounterFile(openSync(path, isWritable ? 'r+' : 'r'), key, isWritable);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
    return null;
  }

  /** Sets a peak to the present value. Returns whether the kernel supports it (version 2: from 6.12 on). */
  reset(): boolean {
    if (!this.isWritable || !this.isOpen) return false;
    try {
      writeSync(this.descriptor, '0', 0);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.isWritable = false;
      return false;
    }
  }

  read(): number | null {
    if (!this.isOpen) return null;
    let text: string;
    try {
      text = buffer.toString('latin1', 0, readSync(this.descriptor, buffer, 0, buffer.length, 0));
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
    return valueIn(text, this.key);
  }

  /** May be called repeatedly. */
  close(): void {
    if (this.isOpen) closeSync(this.descriptor);
    this.isOpen = false;
  }
}

/** Returns the number after the key at the start of a line; null if there is none. */
function valueIn(text: string, key: string | null): number | null {
  const line = key === null ? text : text.split('\n').find((each) => each.startsWith(`${key} `));
  const value = line?.slice(key === null ? 0 : key.length + 1).trim() ?? '';
  return /^[0-9]+$/.test(value) ? Number(value) : null;
}
