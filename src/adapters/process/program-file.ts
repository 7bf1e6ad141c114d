import { fileURLToPath } from 'node:url';

/** Returns the path of a program in the source folder, for sources, compiled modules and the bundle. */
export function programFile(name: string): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return here.replace(
    /(\/dist)?\/src\/adapters\/process\/$|\/dist\/program\/$/,
    `/src/adapters/process/${name}`,
  );
}
