import { readFileSync } from 'node:fs';
import { makePreview, prepareLibrary } from '../../src/adapters/previews/make-preview.ts';
import { linesOf } from '../../src/adapters/previews/preview-lines.ts';

/**
 * Entry of the process that decodes images of a task, with the account and the isolation of that task. Its argument is a file with the
 * paths, as a JSON list. It prints the previews.
 */
const [, , request = ''] = process.argv;
const paths: unknown = JSON.parse(readFileSync(request, 'utf8'));
prepareLibrary();
for (const [index, path] of (Array.isArray(paths) ? paths : []).entries()) {
  const result = await makePreview(String(path));
  process.stdout.write(`${linesOf(index, result).join('\n')}\n`);
}
