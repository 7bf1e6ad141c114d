import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'tap';
import { KNOWN_EXTENSIONS, SUPPORTED_FEATURES } from '../../src/core/openjd/extensions.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;
const ENTRY = resolve('dist/src/bin/openjd-entry.js');
const EXCEPTIONS = resolve('test/spec/openjd-exceptions.json');

/** Ids of the vectors that fail, as the scorer prints them. */
function failures(only: string): Promise<string[]> {
  const args = [
    `${folder}/score.mjs`,
    '--cmd',
    `${process.execPath} ${ENTRY}`,
    '--only',
    only,
    '--list',
    '--exceptions',
    EXCEPTIONS,
  ];
  return new Promise((done) => {
    execFile(process.execPath, args, { maxBuffer: 64_000_000 }, (_, output) => {
      done(output.split('\n').filter((line) => line.startsWith('not ok ')));
    });
  });
}

/** Vectors whose template declares an extension that is known and not yet supported: they are refused for that reason. */
function waiting(file: string): string[] {
  const names = KNOWN_EXTENSIONS.filter((name) => !SUPPORTED_FEATURES.extensions.includes(name));
  const vectors: unknown = JSON.parse(readFileSync(`${folder}/vectors/${file}`, 'utf8'));
  if (!Array.isArray(vectors)) throw new Error('the vectors are no list');
  return vectors
    .filter((vector: { template?: unknown; template_text?: unknown }) => {
      const template = JSON.stringify([vector.template, vector.template_text]);
      return names.some((name) => template.includes(name));
    })
    .map((vector: { id: string }) => vector.id);
}

for (const [only, file] of [
  ['template', 'template_vectors.json'],
  ['space', 'paramspace_vectors.json'],
] as const) {
  void test(`the ${only} vectors pass`, { skip, timeout: 120_000 }, async (t) => {
    const expected = waiting(file);
    const failed = (await failures(only)).filter(
      (line) =>
        !expected.some((id) => line.startsWith(`not ok ${id}: `) && line.includes('is not supported yet')),
    );
    t.same(failed, []);
  });
}
