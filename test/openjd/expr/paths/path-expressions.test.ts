import { test } from 'tap';
import { createRe2Engine } from '../../../../src/adapters/regex/re2-engine.ts';
import { evaluate, prepare, type ExprContext } from '../../../../src/openjd/expr/evaluate/evaluate.ts';
import { EXPR_LIMITS } from '../../../../src/openjd/expr/expr-limits.ts';
import { parseExpression } from '../../../../src/openjd/expr/syntax/parse-expression.ts';
import { listType, PATH } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { parseType } from '../../../../src/openjd/expr/type-system/type-text.ts';
import { displayOf } from '../../../../src/openjd/expr/values/display.ts';
import { readValue } from '../../../../src/openjd/expr/values/read-value.ts';
import { listOfType, pathOf, typeOf, type Value } from '../../../../src/openjd/expr/values/value.ts';

interface Given {
  readonly symbols?: Readonly<Record<string, Value>>;
  readonly pathStyle?: ExprContext['pathStyle'];
  readonly host?: ExprContext['host'];
  readonly target?: string;
}

/** Returns the display and the type of the value, or the error. */
function resultOf(source: string, { symbols = {}, pathStyle = 'posix', host, target }: Given = {}): string {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.failure;
  const context = {
    limits: EXPR_LIMITS,
    pathStyle,
    regex: createRe2Engine(),
    host: host ?? { kind: 'none' as const },
  };
  const program = prepare(parsed.expr, source, target === undefined ? null : parseType(target));
  const result = evaluate(program, new Map(Object.entries(symbols)), context);
  return result.ok ? `${displayOf(result.value)}: ${typeOf(result.value).text}` : result.detail;
}

const paths = (...items: readonly Value[]): Value => listOfType(listType(PATH), items);

void test('strings become normalized paths', (t) => {
  t.equal(resultOf("path('/a/b/c').relative_to('/a//b/')"), 'c: path');
  t.equal(resultOf("'a//b/'", { target: 'path' }), 'a/b: path');
  t.equal(resultOf("['a/', 's3://b//c']", { target: 'list[path]' }), '["a", "s3://b//c"]: list[path]');
  t.equal(resultOf("'C:/a/'", { target: 'path', pathStyle: 'windows' }), 'C:\\a: path');
  t.equal(resultOf("path(path('/a/b').parts) == path('/a/b')"), 'true: bool');
  t.equal(resultOf("path([]) / 'a' / path('b') + '.c'"), 'a/b.c: path');
  t.end();
});

void test('a given path keeps its spelling until an operation uses it', (t) => {
  const P = readValue(PATH, '/a//b/', 'posix');
  const W = readValue(PATH, 'C:/a/b/', 'windows');
  const U = readValue(PATH, 's3://b/c/', 'windows');
  if (!P.ok || !W.ok || !U.ok) throw new Error('no paths');
  t.equal(resultOf('P', { symbols: { P: P.value } }), '/a//b/: path');
  t.equal(resultOf('P.name + P.parent', { symbols: { P: P.value } }), 'b/a: string');
  t.equal(resultOf("P / ''", { symbols: { P: P.value } }), '/a/b: path');
  t.equal(resultOf('W', { symbols: { W: W.value }, pathStyle: 'windows' }), 'C:\\a\\b\\: path');
  t.equal(resultOf('U', { symbols: { U: U.value }, pathStyle: 'posix' }), 's3://b/c/: path');
  t.end();
});

void test('paths of another style are rejected where they are used', (t) => {
  const windows = pathOf('C:\\a', 'windows');
  const refused = 'Path format mismatch: the value is a windows path, and paths are posix here';
  t.equal(resultOf('P', { symbols: { P: windows } }), refused);
  t.equal(resultOf('len(P)', { symbols: { P: paths(windows, windows) } }), refused);
  t.equal(resultOf('len(P)', { symbols: { P: paths(pathOf('s3://a', 'uri')) } }), '1: int');
  t.equal(resultOf('len(P)', { symbols: { P: paths() } }), '0: int');
  t.equal(
    resultOf('P', { symbols: { P: pathOf('/a', 'posix') }, pathStyle: 'windows' }),
    'Path format mismatch: the value is a posix path, and paths are windows here',
  );
  t.end();
});

void test('paths are mapped if the host is known', (t) => {
  const known = { kind: 'known', mapPath: (path: string) => path.replace('/old', '/new') } as const;
  const unresolved = { kind: 'unresolved' } as const;
  t.equal(resultOf("'/old/a/'.apply_path_mapping()", { host: known }), '/new/a/: path');
  t.equal(resultOf("apply_path_mapping(path('/old/a/'))", { host: known }), '/new/a: path');
  t.match(
    resultOf("path('/old').apply_path_mapping()", { host: known }),
    'apply_path_mapping() is not available for path',
  );
  t.match(resultOf("'/old'.apply_path_mapping()", { host: unresolved }), ': unresolved[path]');
  t.equal(resultOf("apply_path_mapping('/old')"), "Unknown function: 'apply_path_mapping'");
  t.end();
});
