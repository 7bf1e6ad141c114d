import fc from 'fast-check';
import { test } from 'tap';
import { errorLineOf, failureKeyOf, isErrorLine } from '../../../src/core/failure/error-line.ts';
import { EXCERPT_LIMITS, OutputTail } from '../../../src/core/failure/failure-excerpt.ts';

function excerptOf(...lines: readonly (string | readonly ['stderr', string])[]): string {
  const tail = new OutputTail();
  for (const line of lines) {
    if (typeof line === 'string') tail.add('stdout', line);
    else tail.add('stderr', line[1]);
  }
  return tail.excerpt();
}

test('an excerpt ends with the last line that looks like an error', async (t) => {
  t.equal(excerptOf(), '');
  t.equal(excerptOf('', '  ', '\u001b[0m'), '', 'empty lines are omitted');
  t.equal(excerptOf('a', 'Error: no texture', 'b', 'c'), 'a\nError: no texture');
  t.equal(excerptOf('Error: 1', 'Error: 2', 'quit'), 'Error: 1\nError: 2');
  t.equal(excerptOf('1', '2', '3', '4', '', '5', 'ValueError: x'), '2\n3\n4\n5\nValueError: x');
  t.equal(excerptOf('done, 0 errors', ['stderr', 'no licence'], 'end'), 'done, 0 errors\nno licence');
  t.equal(excerptOf('a', 'b'), 'a\nb', 'without an error and stderr it ends with the last line');
  t.equal(errorLineOf(excerptOf('a', 'Error: no texture', 'b')), 'Error: no texture');
  t.equal(errorLineOf(''), '');
});

test('an excerpt has no colors, no overwritten text and no control characters', async (t) => {
  t.equal(excerptOf('\u001b[31mError:\u001b[0m red'), 'Error: red');
  t.equal(excerptOf('\u001b]8;;http://a/\u0007Error\u001b]8;;\u0007: link'), 'Error: link');
  t.equal(excerptOf('10 %\r20 %\rError: at 21 %\r'), 'Error: at 21 %');
  t.equal(excerptOf('Error:\ta\u0000b'), 'Error: a b');
});

test('the error line is searched in the last lines only', async (t) => {
  const rest = Array.from({ length: EXCERPT_LIMITS.searchedLines }, (_, at) => `line ${at}`);
  t.equal(errorLineOf(excerptOf('Error: early', ...rest)), rest.at(-1));
  t.equal(errorLineOf(excerptOf('Error: early', ...rest.slice(1))), 'Error: early');
});

test('an excerpt is within its limits, whatever the output', async () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000, size: 'max' }),
    fc.constant('Error: x'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('stdout', 'stderr'), line)), (lines) => {
      const tail = new OutputTail();
      for (const [stream, text] of lines) tail.add(stream, text);
      const excerpt = tail.excerpt();
      const shown = excerpt.split('\n');
      return (
        excerpt.length <= EXCERPT_LIMITS.characters &&
        shown.length <= EXCERPT_LIMITS.lines &&
        shown.every(
          (each) => each.length <= EXCERPT_LIMITS.lineCharacters && !/[\u0000-\u001f]/.test(each),
        ) &&
        (isErrorLine(errorLineOf(excerpt)) || !shown.some(isErrorLine))
      );
    }),
  );
});

test('failures with the same cause have the same key', async (t) => {
  const key = failureKeyOf('exit code 1', 'Error: cannot read /x/0012.exr');
  t.equal(failureKeyOf('exit code 1', 'Error: cannot read /x/13.exr'), key);
  t.not(failureKeyOf('exit code 2', 'Error: cannot read /x/0012.exr'), key);
  t.not(failureKeyOf('exit code 1', 'Error: cannot write /x/0012.exr'), key);
});
