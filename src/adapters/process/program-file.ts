import { fileURLToPath } from 'node:url';

/** Returns the path of a program in the source folder, both for sources and for compiled modules. */
export function programFile(name: string): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return here.replace(/(\/dist)?\/src\/adapters\/process\/$/, `/src/adapters/process/${name}`);
}
