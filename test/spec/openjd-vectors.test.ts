import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'tap';
import { runOpenjdJsonl } from '../../src/bin/commands/openjd/jsonl.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;
const COMMAND = `${process.execPath} ${resolve('bin/callsheet.js')} openjd`;
const EXCEPTIONS = resolve('test/spec/openjd-exceptions.json');
/** The reason in the list of exceptions for what a later version judges. */
const WAITING = 'EXPR is not supported yet';

interface Vector {
  readonly id: string;
  readonly template?: unknown;
  readonly template_text?: string;
}

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** What the scorer prints. */
function score(only: string): Promise<string[]> {
  const scorer = `${folder}/score.mjs`;
  const args = [scorer, '--cmd', COMMAND, '--only', only, '--list', '--exceptions', EXCEPTIONS];
  return new Promise((done) => {
    execFile(process.execPath, args, { maxBuffer: 64_000_000 }, (_, output) => {
      done(output.trimEnd().split('\n'));
    });
  });
}

/** The vectors whose template is refused for EXPR and for no other extension. */
async function waitingIn(file: string): Promise<string[]> {
  const vectors = (read(`${folder}/vectors/${file}`) as readonly Vector[]).filter(
    (vector) => (vector.template ?? vector.template_text) !== undefined,
  );
  const answers: string[] = [];
  async function* lines(): AsyncGenerator<string> {
    for (const vector of vectors) yield JSON.stringify({ template: vector.template ?? vector.template_text });
  }
  await runOpenjdJsonl('check', lines(), (line) => void answers.push(line));
  return vectors.flatMap(({ id }, index) => {
    const answer = answers[index] ?? '';
    const waits = answer.includes('the extension EXPR is not supported yet');
    return waits && !answer.includes('unknown extension') ? id : [];
  });
}

void test('every vector passes but for the exceptions', { skip, timeout: 240_000 }, async (t) => {
  t.equal((await score('template')).at(-1), '907 passed, 0 failed, 255 skipped');
  t.equal((await score('space')).at(-1), '225 passed, 0 failed, 29 skipped');
  t.equal((await score('expr')).at(-1), '1285 passed, 0 failed, 369 skipped');
});

void test('the exceptions that wait for EXPR are the vectors that need it', { skip }, async (t) => {
  const exceptions = Object.entries(read(EXCEPTIONS) as Readonly<Record<string, string>>);
  const listed = exceptions.filter(([, reason]) => reason === WAITING).map(([id]) => id);
  const others = new Set(exceptions.filter(([, reason]) => reason !== WAITING).map(([id]) => id));
  const waiting = [
    ...(await waitingIn('template_vectors.json')),
    ...(await waitingIn('paramspace_vectors.json')),
  ];
  t.same(listed.sort(), waiting.filter((id) => !others.has(id)).sort());
});
