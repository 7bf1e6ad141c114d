import { dirname, join, posix, relative, resolve, sep, win32 } from 'node:path';
import { isUriPath } from '../../src/openjd/primitives/uri-path.ts';
import type { LocalPath } from '../../src/openjd/template/language/options.ts';

/** Paths of another system are absolute too: path mapping may replace them. */
const isAbsolute = (path: string): boolean =>
  posix.isAbsolute(path) || win32.isAbsolute(path) || isUriPath(path);

/**
 * Returns how `openjd run` finds the paths of job parameters: a relative default is below the folder of the template, a
 * relative value that was given is below the working directory. An empty path stays empty, and a given absolute path or URI stays as it is.
 *
 * @param template - path of the template; `-` for standard input, which is in the working directory.
 */
export function localPathBy(template: string, workingDirectory: string): LocalPath {
  const folder = template === '-' ? workingDirectory : dirname(resolve(workingDirectory, template));
  return (path, source) => {
    if (path === '') return { ok: true, path };
    if (source === 'submitted')
      return { ok: true, path: isAbsolute(path) ? path : resolve(workingDirectory, path) };
    if (isAbsolute(path)) {
      return { ok: false, detail: `has the default ${path}: a default must be relative to the template` };
    }
    const found = join(folder, path);
    const below = relative(folder, found);
    if (below === '..' || below.startsWith(`..${sep}`)) {
      return { ok: false, detail: `has the default ${path}, which leads out of the folder of the template` };
    }
    return { ok: true, path: found };
  };
}
