import { existsSync } from 'node:fs';

/**
 * Folder of package.json, as a URL that ends with a slash. Sources and compiled files are at different depths below it.
 */
export const packageRoot: URL = findPackageRoot();

function findPackageRoot(): URL {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    if (existsSync(new URL('package.json', folder))) return folder;
    if (folder.pathname === '/') throw new Error(`no package.json above ${import.meta.url}`);
  }
}
