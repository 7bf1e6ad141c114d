import { test } from 'tap';
import { functionsPage, writtenForm } from '../../../scripts/docs/functions-page.ts';
import { LIBRARY } from '../../../src/openjd/expr/functions/library.ts';
import { signature } from '../../../src/openjd/expr/functions/signature.ts';

void test('a signature is formatted as on the page', (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['__add__(a: int, b: int) -> int', 'a + b'],
    ['__neg__(a: int) -> int', '-a'],
    ['__not__(a: bool) -> bool', 'not a'],
    ['__contains__(list: list[T], item: T) -> bool', 'item in list'],
    ['__getitem__(s: string, index: int) -> string', 's[index]'],
    ['__getitem__(s: string, start: int?, stop: int?, step: int?) -> string', 's[start:stop:step]'],
    ['__property_stem__(p: path) -> string', 'p.stem'],
    ['find(s: string, sub: string) -> int', 'find(s, sub)'],
  ];
  for (const [text, written] of cases) t.equal(writtenForm(signature(text, '', () => null)), written);
  t.throws(() => writtenForm(signature('__matmul__(a: int, b: int) -> int', '', () => null)));
  t.end();
});

void test('the page has every signature of the library once, with a description', (t) => {
  const rows = functionsPage()
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const types = rows.flatMap((row) => row.split(/(?<!\\)\|/)[2]?.split('<br>') ?? []);
  t.equal(types.length, LIBRARY.flatMap(({ signatures }) => signatures).length);
  for (const row of rows) t.equal(row.split(/(?<!\\)\|/).length, 5, row);
  t.ok(rows.includes('| `p.stem` | `p: path → string` | The last component without its last suffix. |'));
  t.ok(rows.includes('| `a - b` | `a: int, b: int → int`<br>`a: float, b: float → float` | |'));
  t.ok(rows.includes('| `b in a` | `a: string, b: string → bool` | Whether `b` occurs in `a`. |'));
  t.end();
});
