import { test } from 'tap';
import { runCallsheet } from '../run-callsheet.ts';

const evaluated = (...args: readonly string[]): ReturnType<typeof runCallsheet> =>
  runCallsheet(['openjd', 'eval', ...args]);

void test('eval prints the value of an expression', async (t) => {
  const printed = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await evaluated(...args);
    return code === 0 && err === '' ? out : `${code}: ${err}`;
  };
  t.equal(await printed("'a' * 3"), 'aaa\n');
  t.equal(await printed('--', '-5 // 2'), '-3\n');
  t.equal(await printed('null'), 'null\n');
  t.equal(
    await printed(
      'Param.X + len(L) + F',
      '-v',
      'Param.X:int=4',
      '-v',
      'L:list[string]=["a"]',
      '-v',
      'F:float=.50',
    ),
    '5.5\n',
  );
  t.equal(
    await printed(
      "S + '!' if B and N == null else 'no'",
      '-v',
      'S=a=b:c',
      '-v',
      'B:bool=yes',
      '-v',
      'N:nulltype=null',
    ),
    'a=b:c!\n',
  );
  t.equal(await printed('X + 1', '-v', 'X:unresolved[int]'), 'unresolved[int]\n');
  t.equal(await printed('a{{X}}{{ null }}', '--format', '-v', 'X:range_expr=1-3'), 'a1-3\n');
  t.equal(
    await printed('[P, P / "b"]', '--json', '--path-format', 'windows', '-v', 'P:path=C:\\a'),
    `${JSON.stringify({ type: 'list[path]', value: ['C:\\a', 'C:\\a\\b'], display: '["C:\\\\a", "C:\\\\a\\\\b"]' })}\n`,
  );
  t.equal(await printed("'7'", '--target-type', 'int', '--json'), '{"type":"int","value":7,"display":"7"}\n');
  const rules = JSON.stringify({
    version: 'pathmapping-1.0',
    path_mapping_rules: [{ source_path_format: 'POSIX', source_path: '/a', destination_path: '/z' }],
  });
  t.equal(await printed("apply_path_mapping('/a/b')", '--path-mapping-rules', rules), '/z/b\n');
  t.equal(await printed("'a\\x1b[31m\\nb'"), 'a\u{fffd}[31m\nb\n');
});

void test('eval reports an expression without a value', async (t) => {
  t.same(await evaluated("1 + int('x')"), {
    code: 1,
    out: '',
    err: "Cannot convert 'x' to int\n  1 + int('x')\n      ^~~~~~~~\n",
  });
  t.same(await evaluated('1 +'), {
    code: 1,
    out: '',
    err: 'Syntax error: Expected an expression\n  1 +\n  ^~~\n',
  });
});

void test('invalid arguments are rejected', async (t) => {
  const refused = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await evaluated(...args);
    return code === 2 && out === '' ? (err.split('\n')[0] ?? '') : `${code}: ${out}`;
  };
  t.equal(await refused(), 'give an expression, or --jsonl');
  t.equal(await refused('1', '--jsonl'), '--jsonl: expressions and values come from standard input');
  t.equal(await refused('1', '--target-type', 'x'), '--target-type x: there is no such type');
  t.equal(await refused('1', '-v', '1=2'), '-v 1=2: NAME must be a name, or several with dots between them');
  t.equal(await refused('1', '-v', 'a=1', '-v', 'a=2'), '-v a=2: a is given twice');
  t.equal(await refused('1', '-v', 'a:list[x]=1'), '-v a:list[x]=1: there is no type list[x]');
  t.equal(await refused('1', '-v', 'a'), '-v a: there is no =VALUE');
  t.equal(await refused('1', '-v', 'a:int=x'), '-v a:int=x: "x" is not a value of type int');
  t.equal(await refused('1', '-v', 'a:list[int]=1,2'), '-v a:list[int]=1,2: a value of list[int] is JSON');
});
