import { arch, availableParallelism, hostname, platform, totalmem } from 'node:os';

const BYTES_PER_MIB = 1024 * 1024;

/** What a worker offers of its machine. */
export interface MachineFacts {
  readonly hostName: string;
  readonly cpuCount: number;
  readonly memoryMib: number;
  /** A value of OpenJD's `attr.worker.os.family`, or the system's own name when OpenJD has none for it. */
  readonly os: string;
  /** A value of OpenJD's `attr.worker.cpu.arch`, or the system's own name when OpenJD has none for it. */
  readonly arch: string;
}

const OS_FAMILIES: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'macos', win32: 'windows' };
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'arm64' };

/** OpenJD's name for a system that Node calls `nodeName`. */
export const osFamily = (nodeName: string): string => OS_FAMILIES[nodeName] ?? nodeName;

/** OpenJD's name for an architecture that Node calls `nodeName`. */
export const cpuArchitecture = (nodeName: string): string => ARCHITECTURES[nodeName] ?? nodeName;

/** This machine. Processors are those that this process may use. */
export function thisMachine(): MachineFacts {
  return {
    hostName: hostname(),
    cpuCount: availableParallelism(),
    memoryMib: Math.floor(totalmem() / BYTES_PER_MIB),
    os: osFamily(platform()),
    arch: cpuArchitecture(arch()),
  };
}
