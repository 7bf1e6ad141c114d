import { test } from 'tap';
import { Call } from '../../../../src/openjd/expr/functions/call.ts';
import { PATH_MAPPING, PATHS } from '../../../../src/openjd/expr/functions/paths.ts';
import { listType, STRING } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { displayOf } from '../../../../src/openjd/expr/values/display.ts';
import { listOfType, pathOf, type Value } from '../../../../src/openjd/expr/values/value.ts';

interface Options {
  readonly pathStyle?: 'posix' | 'windows';
  readonly memory?: number;
  readonly mapPath?: (path: string) => string;
}

const newCall = ({ pathStyle = 'posix', memory = 1_000_000, mapPath }: Options = {}): Call =>
  new Call({
    limits: { memory, operations: 10_000_000 },
    pathStyle,
    regex: {
      compile: () => {
        throw new Error('path functions use no regular expressions');
      },
    },
    mapPath: mapPath ?? null,
  });

function run(call: Call, text: string, ...given: readonly Value[]): Value {
  const signature = [PATHS, PATH_MAPPING]
    .flatMap(({ signatures }) => signatures)
    .find((each) => each.text === text);
  if (signature === undefined) throw new Error(`no signature: ${text}`);
  const [a = null, b = null] = given;
  return signature.run(call, a, b, null, null);
}

const posix = (text: string): Value => pathOf(text, 'posix');
const strings = (...items: readonly string[]): Value => listOfType(listType(STRING), items);

void test('every path function has the expected result and cost', (t) => {
  const cases: readonly (readonly [string, readonly Value[], string, number])[] = [
    ['__property_name__(p: path) -> string', [posix('/a/b.c/')], 'b.c', 1],
    ['__property_stem__(p: path) -> string', [posix('/a/b.c')], 'b', 1],
    ['__property_suffix__(p: path) -> string', [posix('/a/b.c')], '.c', 1],
    ['__property_suffixes__(p: path) -> list[string]', [posix('/a/b.c.d')], '[".c", ".d"]', 1],
    ['__property_parent__(p: path) -> path', [posix('/a/b')], '/a', 1],
    ['__property_parts__(p: path) -> list[string]', [posix('/a/b')], '["/", "a", "b"]', 1],
    ['__truediv__(p: path, child: string) -> path', [posix('/a'), 'b/c'], '/a/b/c', 1],
    ['__truediv__(p: path, child: path) -> path', [posix('/a'), posix('b')], '/a/b', 1],
    ['__add__(p: path, suffix: string) -> path', [posix('/a/b'), '_c.d'], '/a/b_c.d', 1],
    ['path(s: string) -> path', ['a//b/'], 'a/b', 1],
    ['path(parts: list[string]) -> path', [strings('/', 'a', 'b')], '/a/b', 4],
    ['with_name(p: path, name: string) -> path', [posix('/a/b'), 'c'], '/a/c', 1],
    ['with_stem(p: path, stem: string) -> path', [posix('/a/b.c'), 'd'], '/a/d.c', 1],
    ['with_suffix(p: path, suffix: string) -> path', [posix('/a/b.c'), '.d'], '/a/b.d', 1],
    ['with_number(p: path, num: int) -> path', [posix('/a/b_##.c'), 7], '/a/b_07.c', 1],
    ['with_number(s: string, num: int) -> string', ['a//b1/c_##.d', 7], 'a//b1/c_07.d', 1],
    ['as_posix(p: path) -> string', [posix('a\\b')], 'a\\b', 1],
    ['is_absolute(p: path) -> bool', [posix('/a')], 'true', 1],
    ['is_relative_to(p: path, other: path) -> bool', [posix('/a/b'), posix('/a')], 'true', 1],
    ['relative_to(p: path, other: path) -> path', [posix('/a/b'), posix('/a')], 'b', 1],
  ];
  t.same(
    cases.map(([signature]) => signature),
    PATHS.signatures.map(({ text }) => text),
  );
  for (const [signature, given, expected, cost] of cases) {
    const call = newCall();
    t.equal(displayOf(run(call, signature, ...given)), expected, signature);
    t.equal(call.operations, cost, signature);
  }
  const call = newCall();
  run(call, 'path(s: string) -> path', 'a'.repeat(257));
  t.equal(call.operations, 2);
  t.end();
});

void test('a path has the style of the evaluation, and a URI its own', (t) => {
  const call = newCall({ pathStyle: 'windows' });
  const path = (text: string): Value => run(call, 'path(s: string) -> path', text);
  t.same(path('C:/a'), pathOf('C:\\a', 'windows'));
  t.same(path('s3://b/a'), pathOf('s3://b/a', 'uri'));
  const join = '__truediv__(p: path, child: string) -> path';
  t.same(run(call, join, path('C:/a'), 's3://b'), pathOf('s3://b', 'uri'));
  t.same(run(call, join, path('s3://b'), 'C:/a'), pathOf('C:\\a', 'windows'));
  t.same(run(call, 'as_posix(p: path) -> string', path('C:/a/b')), 'C:/a/b');
  t.same(run(call, 'as_posix(p: path) -> string', path('s3://b/c\\d')), 's3://b/c\\d');
  t.same(
    run(call, 'relative_to(p: path, other: path) -> path', path('s3://b/a/c'), path('s3://b')),
    pathOf('a\\c', 'windows'),
  );
  const numbered = 'with_number(s: string, num: int) -> string';
  t.equal(run(call, numbered, 'a/b1\\c', 7), 'a/b1\\c_0007');
  t.equal(run(call, numbered, 's3://b/b1\\c', 7), 's3://b/b7\\c');
  t.equal(run(newCall(), numbered, 'b1\\c', 7), 'b7\\c');
  t.end();
});

void test('a frame number requires a name', (t) => {
  const path = 'with_number(p: path, num: int) -> path';
  const string = 'with_number(s: string, num: int) -> string';
  t.throws(() => run(newCall(), path, posix('/'), 1), { message: "with_number: '/' has an empty name" });
  t.throws(() => run(newCall(), path, posix(''), 1), { message: "with_number: '.' has an empty name" });
  t.throws(() => run(newCall(), string, 'a/', 1), { message: "with_number: 'a/' has an empty name" });
  t.throws(() => run(newCall(), string, '', 1), { message: "with_number: '' has an empty name" });
  t.end();
});

void test('parts above the memory limit are not built', (t) => {
  const parts = '__property_parts__(p: path) -> list[string]';
  const suffixes = '__property_suffixes__(p: path) -> list[string]';
  const exceeded = { name: 'ExprFailure', message: /^Expression memory usage \(\d+ bytes\) exceeded limit/ };
  t.throws(() => run(newCall({ memory: 10_000 }), parts, posix('a/'.repeat(400))), exceeded);
  t.throws(() => run(newCall({ memory: 10_000 }), suffixes, posix('.a'.repeat(400))), exceeded);
  t.throws(
    () =>
      run(
        newCall({ memory: 3_000 }),
        '__add__(p: path, suffix: string) -> path',
        posix('a'.repeat(800)),
        'b'.repeat(800),
      ),
    exceeded,
  );
  t.end();
});

void test('paths are mapped in a host context, and keep the result of the rules', (t) => {
  const map = 'apply_path_mapping(s: string) -> path';
  const mapPath = (path: string): string => path.replace('/old', '/new');
  t.same(run(newCall({ mapPath }), map, '/old/a//b/'), posix('/new/a//b/'));
  t.same(run(newCall({ mapPath, pathStyle: 'windows' }), map, '/old/a/'), pathOf('\\new\\a\\', 'windows'));
  t.same(run(newCall({ mapPath }), map, 's3://b/old'), pathOf('s3://b/new', 'uri'));
  const call = newCall({ mapPath });
  run(call, map, 'a'.repeat(300));
  t.equal(call.operations, 2);
  t.throws(() => run(newCall({ mapPath: () => 'a'.repeat(600), memory: 1_000 }), map, 'b'), {
    name: 'ExprFailure',
  });
  t.end();
});
