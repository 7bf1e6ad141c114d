import { readFileSync } from 'node:fs';
import { findOutputs } from '../../src/adapters/previews/find-outputs.ts';
import { makePreview, prepareLibrary } from '../../src/adapters/previews/make-preview.ts';
import { foundLine, linesOf } from '../../src/adapters/previews/preview-lines.ts';
import type { PreviewWork } from '../../src/adapters/previews/preview-work.ts';

/**
 * Entry of the process that decodes images of a task, with the account and the isolation of that task. Its argument is a
 * file with its work, as JSON. It prints the previews.
 */
const [, , request = ''] = process.argv;
// Only the worker writes this file.
const { paths, searches, startedAt } = JSON.parse(readFileSync(request, 'utf8')) as PreviewWork;
const found = await findOutputs(searches, startedAt);
for (const [index, output] of found.entries()) process.stdout.write(`${foundLine(index, output)}\n`);
prepareLibrary();
for (const [index, path] of [...paths, ...found.map((output) => output.path)].entries()) {
  const result = await makePreview(path);
  process.stdout.write(`${linesOf(index, result).join('\n')}\n`);
}
