import { test } from 'tap';
import { ExprFailure, failureText } from '../../../src/openjd/expr/expr-failure.ts';

/** Returns the text of a failure. Two bars mark its range in the source, and a bar between them the caret. */
function shown(marked: string): string {
  const parts = marked.split('|');
  const source = parts.join('');
  const [before = '', first = '', second = ''] = parts;
  const start = before.length;
  const caret = parts.length === 4 ? start + first.length : start;
  const end = start + first.length + (parts.length === 4 ? second.length : 0);
  return failureText(new ExprFailure('Bad', { start, end, caret }), source);
}

void test('a failure is shown with its line and markers below it', async (t) => {
  t.equal(failureText(new ExprFailure('Bad'), 'x'), 'Bad');
  t.equal(shown('|x|'), 'Bad\n  x\n  ^');
  t.equal(shown('1 + |a |* b| + c'), 'Bad\n  1 + a * b + c\n      ~~^~~');
  t.equal(shown('  |1 |/ 0|'), 'Bad\n  1 / 0\n  ~~^~~');
  t.equal(shown('\t(\t|a|)  '), 'Bad\n  (\ta)\n   \t^');
  t.equal(shown("'日本😀' + |x|"), "Bad\n  '日本😀' + x\n          ^");
  t.equal(shown("|'日本😀'| + x"), "Bad\n  '日本😀' + x\n  ^~~~~");
});

void test('of several lines the one with the caret is shown', async (t) => {
  t.equal(shown('[\n  1,\n  |f(2)|,\n]'), 'Bad\n    f(2),\n    ^~~~');
  t.equal(shown("|1 |+\n'x'|"), 'Bad\n  1 +\n  ~~^');
  t.equal(shown("|1\n  |+ 'x'| + 2"), "Bad\n    + 'x' + 2\n    ^~~~~");
  t.equal(shown("|a\n  b |+ 'x'| + 2"), "Bad\n    b + 'x' + 2\n    ~~^~~~~");
  t.equal(shown('a\r\n|b|\r\nc'), 'Bad\n  b\n  ^');
  t.equal(shown('\n\n  |a|\n'), 'Bad\n  a\n  ^');
});

void test('a long line is truncated around the caret', async (t) => {
  const x = (count: number): string => 'x'.repeat(count);
  t.equal(shown(`${x(400)}|y|${x(400)}`), `Bad\n  ...${x(200)}y${x(199)}...\n  ${' '.repeat(203)}^`);
  t.equal(shown(`|y|${x(400)}`), `Bad\n  y${x(399)}...\n  ^`);
  t.equal(shown(`${x(400)}|yy|`), `Bad\n  ...${x(398)}yy\n  ${' '.repeat(401)}^~`);
});
