import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { arch, availableParallelism, hostname, platform, release, totalmem } from 'node:os';
import { cgroupLimits, type CgroupLimits } from './cgroup-limits.ts';

const BYTES_PER_MIB = 1024 * 1024;

/** Facts about the machine that a worker reports. */
export interface MachineFacts {
  readonly hostName: string;
  readonly cpuCount: number;
  readonly memoryMib: number;
  /** A value of OpenJD's `attr.worker.os.family`, or the system's own name if OpenJD has none for it. */
  readonly os: string;
  /** A value of `attr.worker.os.version`. */
  readonly osVersion: string;
  /** A value of OpenJD's `attr.worker.cpu.arch`, or the system's own name if OpenJD has none for it. */
  readonly arch: string;
}

const OS_FAMILIES: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'macos', win32: 'windows' };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'arm64' };

/** Returns the OpenJD name of a system that Node calls `nodeName`. */
export const osFamily = (nodeName: string): string => OS_FAMILIES[nodeName] ?? nodeName;

/** Returns the OpenJD name of an architecture that Node calls `nodeName`. */
export const cpuArchitecture = (nodeName: string): string => ARCHITECTURES[nodeName] ?? nodeName;

/**
 * Returns the facts about this machine as far as this process may use it: its processors, and the limits of its control
 * groups.
 */
export function thisMachine(): MachineFacts {
  const family = osFamily(platform());
  const limits = cgroupLimits();
  return {
    hostName: hostname(),
    ...withinLimits({ cpuCount: availableParallelism(), memoryBytes: totalmem() }, limits),
    os: family,
    osVersion: osVersion(family, release(), osRelease()),
    arch: cpuArchitecture(arch()),
  };
}

/** Applies limits to a machine: whole cores, at least one, and whole MiB. */
export const withinLimits = (
  machine: { readonly cpuCount: number; readonly memoryBytes: number },
  limits: CgroupLimits,
): Pick<MachineFacts, 'cpuCount' | 'memoryMib'> => ({
  cpuCount: Math.max(1, Math.floor(Math.min(machine.cpuCount, limits.cpus ?? Infinity))),
  memoryMib: Math.floor(Math.min(machine.memoryBytes, limits.memoryBytes ?? Infinity) / BYTES_PER_MIB),
});

/**
 * Returns the version of a system as an attribute value, which may have only letters, digits, `_` and `-`: `debian-12`,
 * `ubuntu-22_04` from os-release(5), and `windows-10_0_22631` or `macos-23_5_0` from the system's release.
 */
export function osVersion(family: string, systemRelease: string, osReleaseText: string | null): string {
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}=["']?([^"'\\n]*)`, 'm').exec(osReleaseText ?? '')?.[1];
  const id = field('ID');
  const text =
    id === undefined ? `${family}-${systemRelease}` : [id, field('VERSION_ID')].filter(Boolean).join('-');
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
}

function osRelease(): string | null {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return null;
  }
}

/** Returns the size in MiB of the file system of a directory; 0 if unknown. */
export async function scratchMib(directory: string): Promise<number> {
  try {
    const { blocks, bsize } = await statfs(directory);
    return Math.floor((blocks * bsize) / BYTES_PER_MIB);
  } catch {
    return 0;
  }
}
