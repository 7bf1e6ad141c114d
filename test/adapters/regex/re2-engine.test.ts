import { test } from 'tap';
import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import type { Regex, RegexMatch } from '../../../src/openjd/expr/regex/regex-engine.ts';

const engine = createRe2Engine();

function compiled(pattern: string): Regex {
  const made = engine.compile(pattern);
  if (!made.ok) throw new Error(made.detail);
  return made.value;
}

const free = (): void => undefined;
const first = (pattern: string, text: string, from = 0, anchored = false): RegexMatch | null =>
  compiled(pattern).match(text, from, anchored, free);

test('a match has UTF-16 positions and groups', (t) => {
  t.same(first('(a)(b)?', 'xx🌍a'), { start: 4, end: 5, groups: ['a', null] });
  t.same(first('a', 'aba', 1), { start: 2, end: 3, groups: [] });
  t.equal(first('b', 'ab', 0, true), null);
  t.same(first('a', 'ab', 0, true), { start: 0, end: 1, groups: [] });
  t.same(first('$', 'ab', 2), { start: 2, end: 2, groups: [] });
  t.equal(compiled('(a)|((b))').groups, 3);
  t.end();
});

test('word boundaries follow Unicode, also at the start of the text', (t) => {
  t.same(first('\\bé', 'é'), { start: 0, end: 1, groups: [] });
  t.same(first('\\bé', 'é', 0, true), { start: 0, end: 1, groups: [] });
  t.equal(first('\\bé', 'aé'), null);
  t.same(first('a\\b', 'aé a'), { start: 3, end: 4, groups: [] });
  t.same(first('\\B𝐀(.)', 'b𝐀c'), { start: 1, end: 4, groups: ['c'] });
  t.equal(first('^\\bb', 'a b'), null);
  t.equal(first('\\bb', 'a b', 0, true), null);
  t.end();
});

test('an invalid pattern is reported, and the engine continues to work', (t) => {
  const made = engine.compile('(');
  t.match(made.ok ? '' : made.detail, /missing closing \)/);
  t.same(engine.compile('('), made);
  t.end();
});

test('the counted work is reproducible, grows with the text, and an exception of the counter ends the search', (t) => {
  const work = (pattern: string, text: string): number => {
    let sum = 0;
    compiled(pattern).match(text, 0, false, (instructions) => (sum += instructions));
    return sum;
  };
  const once = work('(x+x+)+y', 'x'.repeat(1000));
  t.equal(work('(x+x+)+y', 'x'.repeat(1000)), once);
  t.ok(work('(x+x+)+y', 'x'.repeat(2000)) > 1.9 * once);
  t.ok(work('\\b(x+x+)+y', 'x'.repeat(1000)) >= once);
  const regex = compiled('(x+x+)+y');
  const stop = new Error('enough');
  t.throws(
    () =>
      regex.match('x'.repeat(1000), 0, false, () => {
        throw stop;
      }),
    stop,
  );
  t.same(regex.match('xxy', 0, false, free), { start: 0, end: 3, groups: ['xx'] });
  t.end();
});
