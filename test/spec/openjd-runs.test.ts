import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;

interface RunVector {
  readonly id: string;
  readonly template_text: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly path_mapping?: readonly object[];
  readonly run_on?: readonly string[];
  readonly only_step?: string;
  readonly expect: {
    readonly ok: boolean;
    readonly output?: readonly (string | { readonly anyOf: readonly string[] })[];
    readonly output_posix?: RunVector['expect']['output'];
    readonly forbidden?: readonly string[];
  };
}

/** Returns why a vector cannot run here, or null. */
const whyNot = ({ run_on: systems }: RunVector): string | null =>
  systems !== undefined && !systems.includes('posix') ? 'for another system' : null;

void test('runs print the expected output', { skip, timeout: 120_000 }, async (t) => {
  const vectors = JSON.parse(
    readFileSync(`${folder}/vectors/run_vectors.json`, 'utf8'),
  ) as readonly RunVector[];
  for (const vector of vectors) {
    if (whyNot(vector) !== null) continue;
    const parameters = Object.entries(vector.params ?? {}).flatMap(([name, value]) => [
      '-p',
      `${name}=${value}`,
    ]);
    const step = vector.only_step === undefined ? [] : ['--step', vector.only_step];
    const mapping =
      vector.path_mapping === undefined
        ? []
        : [
            '--path-mapping-rules',
            JSON.stringify({ version: 'pathmapping-1.0', path_mapping_rules: vector.path_mapping }),
          ];
    const ran = await runCallsheet(['openjd', 'run', '-', ...parameters, ...step, ...mapping], {
      input: vector.template_text,
    });
    const { ok, output = [], output_posix: posix = [], forbidden = [] } = vector.expect;
    const text = ran.out + ran.err;
    t.equal(ran.code === 0, ok, vector.id);
    for (const entry of [...output, ...posix]) {
      const wanted = typeof entry === 'string' ? [entry] : entry.anyOf;
      t.ok(
        wanted.some((part) => text.includes(part)),
        `${vector.id}: ${wanted.join(' or ')}`,
      );
    }
    for (const part of forbidden) t.notOk(text.includes(part), `${vector.id}: not ${part}`);
  }
});
