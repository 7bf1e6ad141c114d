import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { joinPaths } from '../../src/openjd/expr/paths/joined-path.ts';
import { normalPath, parsePath, pathText, type FileStyle } from '../../src/openjd/expr/paths/parsed-path.ts';
import {
  nameOf,
  parentOf,
  partsOf,
  splitName,
  suffixesOf,
} from '../../src/openjd/expr/paths/path-components.ts';
import { isUriPath } from '../../src/openjd/primitives/uri-path.ts';
import { sharedFolder } from './shared-folder.ts';

const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;

interface FunctionVector {
  readonly id: string;
  readonly kind: string;
  readonly function: string;
  readonly args: readonly string[];
  readonly path_format: string | null;
  readonly expect: { readonly result: unknown };
}

type PathFunction = (style: FileStyle, text: string, other: string) => unknown;

const FUNCTIONS: Readonly<Record<string, PathFunction>> = {
  join: (style, path, child) => joinPaths(path, child, style),
  parts: (style, text) => partsOf(parsePath(text, style)),
  name: (style, text) => nameOf(parsePath(text, style)),
  stem: (style, text) => splitName(nameOf(parsePath(text, style))).stem,
  suffix: (style, text) => splitName(nameOf(parsePath(text, style))).suffix,
  suffixes: (style, text) => suffixesOf(nameOf(parsePath(text, style))),
  parent: (style, text) => pathText(parentOf(parsePath(text, style))),
  is_uri: (_, text) => isUriPath(text),
};

/** Names in one library for the functions above. */
const NAMES: Readonly<Record<string, string>> = {
  path_join: 'join',
  non_uri_join: 'join',
  file_name: 'name',
  file_stem: 'stem',
  extension: 'suffix',
};

void test('paths are split and joined as in the vectors', { skip }, (t) => {
  const vectors = (
    JSON.parse(readFileSync(`${folder}/vectors/expr_vectors.json`, 'utf8')) as readonly FunctionVector[]
  ).filter(({ kind }) => kind === 'path_function');
  t.equal(vectors.length, 64);
  for (const { id, function: called, args, path_format, expect } of vectors) {
    const name = called.replace(/^(path|uri)\./, '');
    const style = path_format === 'windows' ? 'windows' : 'posix';
    const found = FUNCTIONS[NAMES[name] ?? name]?.(style, args[0] ?? '', args[1] ?? '');
    // Its join returns text that is not normalized yet.
    const joins = NAMES[name] === 'join' && typeof expect.result === 'string';
    t.same(found, joins ? normalPath(String(expect.result), style) : expect.result, id);
  }
  t.end();
});
