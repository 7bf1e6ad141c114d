import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  readonly residentMib: number;
  /** Memory that is not backed by a file. */
  readonly anonymousMib: number;
}

/** Reads /proc (proc(5)): Linux only. */
export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return Number(found) / 1024;
  };
  return { residentMib: mib('VmRSS'), anonymousMib: mib('RssAnon') };
}

/** Returns the slope by least squares: the rise of the value per unit of `x`. */
export function slopeOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length;
  const products = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  const squares = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  return products / squares;
}
