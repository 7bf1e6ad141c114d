import { test } from 'tap';
import { shown } from '../evaluated.ts';

void test('an unknown name suggests the most similar one, including transpositions and comprehension variables', (t) => {
  for (const [source, near] of [
    ["'a'.uppre()", 'upper'],
    ['flaot(1)', 'float'],
    ["path('/a').setm", 'stem'],
    ['[fram * 2 for frame in [1]]', 'frame'],
    ['[frame for frame in [1] if farme > 1]', 'frame'],
    ["[part.nmae for p in [path('/a')]]", null],
    ["[fiel.name for file in [path('/a')]]", 'file.name'],
    ['nothing', null],
  ] as const) {
    const said = shown(source);
    const told = / Did you mean: (\S+)/.exec(said)?.[1] ?? null;
    t.equal(told, near, `${source}: ${said}`);
  }
  t.end();
});
