import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'tap';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;
const COMMAND = `${process.execPath} ${resolve('bin/callsheet.js')} openjd`;
const EXCEPTIONS = resolve('test/spec/openjd-exceptions.json');
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Output of the scorer. */
function score(only: string, exceptions: string | null): Promise<string[]> {
  const scorer = `${folder}/score.mjs`;
  const excused = exceptions === null ? [] : ['--exceptions', exceptions];
  const args = [scorer, '--cmd', COMMAND, '--only', only, '--list', ...excused];
  return new Promise((done) => {
    execFile(process.execPath, args, { maxBuffer: 64_000_000 }, (_, output) => {
      done(output.trimEnd().split('\n'));
    });
  });
}

void test('every vector passes except for the listed exceptions', { skip, timeout: 240_000 }, async (t) => {
  t.equal((await score('template', EXCEPTIONS)).at(-1), '1097 passed, 0 failed, 65 skipped');
  t.equal((await score('space', EXCEPTIONS)).at(-1), '225 passed, 0 failed, 29 skipped');
  t.equal((await score('expr', EXCEPTIONS)).at(-1), '1285 passed, 0 failed, 369 skipped');
});

void test('every exception is a vector that fails', { skip, timeout: 240_000 }, async (t) => {
  const exceptions = Object.keys(read(EXCEPTIONS) as Readonly<Record<string, string>>);
  const scored = [await score('template', null), await score('space', null), await score('expr', null)];
  const failing = scored.flat().flatMap((line) => /^not ok (.+?): /.exec(line)?.[1] ?? []);
  t.same(exceptions.sort(), failing.sort());
});
