import { test } from 'tap';
import { MUTANTS } from './mutants.ts';
import { readMutantSeeds } from './mutant-seeds.ts';

test('every mutant has a unique name and a recorded seed', async (t) => {
  const names = MUTANTS.map(({ name }) => name);
  t.same([...new Set(names)], names, 'no two mutants have the same name');
  t.same(
    Object.keys(readMutantSeeds()).sort(),
    names.sort(),
    'record seeds: npm run simulate -- --mutants --record',
  );
});
