import { test } from 'tap';
import { PrefixedLines } from '../../../cli/openjd/prefixed-lines.ts';

test('each line gets the prefix once, at any chunk boundary', (t) => {
  const lines = new PrefixedLines('> ');
  const pieces = ['a\nb', '', 'c\n', '\n\n', 'd'];
  t.same(
    pieces.map((piece) => lines.next(piece)),
    ['> a\n> b', '', 'c\n', '> \n> \n', '> d'],
  );
  t.end();
});
