import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, relative to the compiled test. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders without files of the project. */
const NOT_OURS = new Set(['.git', '.tap', 'coverage', 'data', 'dist', 'node_modules', 'var']);

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return entry.isFile() ? [relative(ROOT, path)] : [];
  });
}

/** Every file of the project, relative to its root, in order. */
export const projectFiles = (): string[] => walk(ROOT).sort();

export const contentOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
