import fc from 'fast-check';
import { test } from 'tap';
import {
  namesIn,
  parseCombination,
  textOfCombination,
  type Combination,
} from '../../../src/openjd/template/space/combination.ts';

const name = (text: string): Combination => ({ kind: 'name', name: text });

void test('a combination is a product of names and groups', (t) => {
  t.same(parseCombination('A'), { ok: true, value: name('A') });
  t.same(parseCombination(' A*B '), { ok: true, value: { kind: 'product', parts: [name('A'), name('B')] } });
  t.same(parseCombination('(A, B * C) * D'), {
    ok: true,
    value: {
      kind: 'product',
      parts: [
        { kind: 'zip', parts: [name('A'), { kind: 'product', parts: [name('B'), name('C')] }] },
        name('D'),
      ],
    },
  });
  t.end();
});

void test('the error of an invalid combination names the expected token', (t) => {
  const detail = (text: string): string => {
    const parsed = parseCombination(text);
    return parsed.ok ? '' : parsed.detail;
  };
  t.equal(detail(''), 'a parameter name or "(" is expected, not the end');
  t.equal(detail('A *'), 'a parameter name or "(" is expected, not the end');
  t.equal(detail('* A'), 'a parameter name or "(" is expected, not "*"');
  t.equal(detail('A ** B'), 'a parameter name or "(" is expected, not "*"');
  t.equal(detail('A B'), '"*" or the end is expected, not "B"');
  t.equal(detail('(A)'), 'a group in parentheses must have more than one term');
  t.equal(detail('()'), 'a parameter name or "(" is expected, not ")"');
  t.equal(detail('(A, )'), 'a parameter name or "(" is expected, not ")"');
  t.equal(detail('(A, B'), '"," or ")" is expected, not the end');
  t.equal(detail('A\t* B'), 'the character "\\t" is not allowed here');
  t.equal(detail('A * 1B'), 'the character "1" is not allowed here');
  t.equal(detail('A ^ B'), 'the character "^" is not allowed here');
  t.match(detail('('.repeat(1280)), /nested deeper/);
  t.end();
});

const { tree } = fc.letrec<{ tree: Combination; term: Combination; leaf: Combination; zip: Combination }>(
  (tie) => ({
    leaf: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/).map(name),
    zip: fc
      .array(tie('tree'), { minLength: 2, maxLength: 3 })
      .map((parts): Combination => ({ kind: 'zip', parts })),
    term: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('zip')),
    tree: fc.oneof(
      { depthSize: 'small' },
      tie('term'),
      fc
        .array(tie('term'), { minLength: 2, maxLength: 3 })
        .map((parts): Combination => ({ kind: 'product', parts })),
    ),
  }),
);

void test('printing a combination and parsing it again changes nothing', (t) => {
  fc.assert(
    fc.property(tree, (combination) => {
      const parsed = parseCombination(textOfCombination(combination));
      return parsed.ok && JSON.stringify(parsed.value) === JSON.stringify(combination);
    }),
  );
  t.end();
});

void test('names are returned from left to right with whether they are grouped', (t) => {
  const parsed = parseCombination('A * (B, C * D) * E');
  t.ok(parsed.ok);
  if (parsed.ok) {
    t.same(
      [...namesIn(parsed.value)].map((found) => `${found.name}${found.grouped ? ' grouped' : ''}`),
      ['A', 'B grouped', 'C grouped', 'D grouped', 'E'],
    );
  }
  t.end();
});
