import { test } from 'tap';
import { mutantSource, mutantText } from './mutant-source.ts';
import { MUTANTS } from './mutants.ts';

const PARTS = ['actors', 'src/core', 'src/adapters', 'http'];
const MUTANTS_MIN = 200;

test('no mutant is stale', (t) => {
  const faults = MUTANTS.flatMap((mutant) => {
    try {
      mutantText(mutant);
      return [];
    } catch (error) {
      return String(error);
    }
  });
  t.same(
    faults,
    [],
    'change the text of a stale mutant in test/mutants, so that it is the same bug in the new code',
  );
  t.end();
});

test('mutants have names of their own and tests, and are in all parts', (t) => {
  const names = MUTANTS.map(({ name }) => name);
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
  t.same(
    MUTANTS.filter(({ tests }) => tests.length === 0),
    [],
  );
  t.ok(MUTANTS.length >= MUTANTS_MIN);
  for (const part of PARTS)
    t.ok(MUTANTS.filter(({ file }) => file.startsWith(`${part}/`)).length >= MUTANTS_MIN / 10, part);
  t.end();
});

test('a stale mutant and one with a syntax error are rejected', (t) => {
  const [mutant] = MUTANTS;
  if (mutant === undefined) throw new Error('there are no mutants');
  t.throws(() => mutantSource({ ...mutant, from: 'no such text' }), {
    message: /^stale mutant: .*\n.* contains this text no longer:\nno such text$/,
  });
  t.throws(() => mutantSource({ ...mutant, from: 'import' }), {
    message: /contains this text more than once/,
  });
  t.throws(() => mutantSource({ ...mutant, to: '(' }), { message: /^mutant with a syntax error/ });
  t.end();
});
