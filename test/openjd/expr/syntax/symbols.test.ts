import { test } from 'tap';
import { parseExpression } from '../../../../src/openjd/expr/syntax/parse-expression.ts';
import { referencesOf } from '../../../../src/openjd/expr/syntax/symbols.ts';

function references(source: string): readonly (readonly string[])[] {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.failure;
  const { symbols, functions, variables } = referencesOf(parsed.expr);
  return [[...symbols], [...functions], [...variables]];
}

void test('returns the names, functions and variables of expressions', async (t) => {
  const all: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    ['1', [[], [], []]],
    ['Param.File.stem', [['Param.File.stem'], [], []]],
    ['Param.File.stem.upper()', [['Param.File.stem'], ['upper'], []]],
    ['(Param.File).stem', [['Param.File.stem'], [], []]],
    ['Param.Items[Param.I].name', [['Param.Items', 'Param.I'], [], []]],
    ['f(a).b.c', [['a'], ['f'], []]],
    ['min + 1', [['min'], [], []]],
    ['min(a, len(a))', [['a'], ['min', 'len'], []]],
    ['a if b else c or not d', [['a', 'b', 'c', 'd'], [], []]],
    ['a < b < c + d', [['a', 'b', 'c', 'd'], [], []]],
    ['a[b:c:d]', [['a', 'b', 'c', 'd'], [], []]],
    ['[x.y + z for x in L if x > M]', [['L', 'z', 'M'], [], ['x']]],
    ['x + [x for x in L]', [['x', 'L'], [], ['x']]],
    ['[x for x in [x for x in L]]', [['L'], [], ['x']]],
    ['[x for x in x.y]', [['x.y'], [], ['x']]],
    ['[[y + x for y in x] for x in items]', [['items'], [], ['x', 'y']]],
    ['RawParam.F.apply_path_mapping()', [['RawParam.F'], ['apply_path_mapping'], []]],
  ];
  for (const [source, expected] of all) t.same(references(source), expected, source);
});
