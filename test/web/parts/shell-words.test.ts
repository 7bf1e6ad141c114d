import { test } from 'tap';
import { shellWord } from '../../../web/parts/shell-words.ts';

test('quotes words that a shell would split or expand', (t) => {
  t.equal(shellWord('/mnt/a_b-c.exr:1@%+=,'), '/mnt/a_b-c.exr:1@%+=,');
  t.equal(shellWord("it's"), `'it'\\''s'`);
  t.equal(shellWord(''), "''");
  t.equal(shellWord('$(rm -rf .)'), "'$(rm -rf .)'");
  t.equal(shellWord('{a,b}'), "'{a,b}'");
  t.equal(shellWord('*'), "'*'");
  t.end();
});
