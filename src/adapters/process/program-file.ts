import { fileURLToPath } from 'node:url';
import { packageRoot } from '../system/package-root.ts';

/** Returns the path of a program in the source folder. It is there also for compiled modules and the bundle. */
export const programFile = (name: string): string =>
  fileURLToPath(new URL(`src/adapters/process/${name}`, packageRoot));
