import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { projectFiles, ROOT } from './project-files.ts';

/** Up to this length a list or text has any length without a size. */
const DEFAULT_MAX = 10;

/** An object literal without others in it. */
const LITERAL = /\{[^{}]*\}/g;
const MAXIMUM = /\bmax(?:Length|Keys): ([0-9][0-9_]*|[A-Z][A-Z_]+\b)/;

/** Returns the literals with a large maximum that fast-check would ignore. */
const faultsIn = (text: string): readonly string[] =>
  (text.match(LITERAL) ?? []).filter((literal) => {
    const given = MAXIMUM.exec(literal)?.[1];
    if (given === undefined || /\bsize:/.test(literal)) return false;
    const isExact = literal.includes(`minLength: ${given}`);
    const max = Number(given.replaceAll('_', ''));
    return !isExact && !(max <= DEFAULT_MAX);
  });

test('lists and texts of properties have the size that they name', (t) => {
  const files = projectFiles().filter((file) => /^test\/(?!tidy\/).*\.tsx?$/.test(file));
  const faults = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return text.includes("'fast-check'") ? faultsIn(text).map((fault) => `${file}: ${fault}`) : [];
  });
  t.same(
    faults,
    [],
    "add size: 'max': fast-check makes at most ten elements or characters otherwise, whatever the maximum",
  );
  t.end();
});

test('large maximums without a size are found', (t) => {
  t.same(faultsIn('fc.array(x, { maxLength: 300 }); fc.string({ maxLength: MOST })').length, 2);
  t.same(faultsIn("fc.array(x, { maxLength: 300, size: 'max' }); fc.string({ maxLength: 10 })"), []);
  t.same(faultsIn('fc.array(x, { minLength: 40, maxLength: 40 })'), []);
  t.end();
});
