import { fileURLToPath } from 'node:url';

/** Where a program lies that is kept beside the sources, whether this module runs from there or compiled. */
export function programFile(name: string): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return here.replace(/(\/dist)?\/src\/adapters\/process\/$/, `/src/adapters/process/${name}`);
}
