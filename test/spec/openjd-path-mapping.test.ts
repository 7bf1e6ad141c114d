import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { pathMapper, type PathFormat } from '../../src/openjd/template/path-mapping.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;

interface RuleOfVector {
  readonly source_path_format: string;
  readonly source_path: string;
  readonly destination_path: string;
}

interface MappingVector {
  readonly id: string;
  readonly kind: string;
  readonly rule?: RuleOfVector;
  readonly rules?: readonly RuleOfVector[];
  readonly path: string;
  readonly output_format: string;
  /** Null when no rule matches. */
  readonly expect: { readonly result: string | null };
}

const FORMATS: Readonly<Record<string, PathFormat>> = { posix: 'POSIX', windows: 'WINDOWS', uri: 'URI' };

void test('rules map paths as in the vectors', { skip }, (t) => {
  const vectors = (
    JSON.parse(readFileSync(`${folder}/vectors/expr_vectors.json`, 'utf8')) as readonly MappingVector[]
  ).filter(({ kind }) => kind === 'path_mapping_rule' || kind === 'path_mapping_rules');
  t.equal(vectors.length, 53);
  for (const { id, rule, rules = rule === undefined ? [] : [rule], path, output_format, expect } of vectors) {
    const map = pathMapper(
      rules.map((each) => ({
        sourceFormat: FORMATS[each.source_path_format] ?? 'POSIX',
        source: each.source_path,
        destination: each.destination_path,
      })),
      output_format === 'windows' ? 'WINDOWS' : 'POSIX',
    );
    t.equal(map(path), expect.result ?? path, id);
  }
  t.end();
});
