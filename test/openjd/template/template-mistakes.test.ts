import { test } from 'tap';
import { errorsOf, textOf } from '../../../scripts/docs/mistakes-page.ts';
import { MISTAKES, TEMPLATE } from '../../../scripts/docs/template-mistakes.ts';

const all = MISTAKES.flatMap(({ mistakes }) => mistakes);

void test('the page of mistakes has fifty different ones, in a template that is valid', (t) => {
  t.equal(all.length, 50);
  t.equal(new Set(all.map(({ title }) => title)).size, 50);
  t.same(errorsOf(TEMPLATE, { Scene: 'a.blend' }), []);
  t.end();
});

void test('each mistake has errors with a pointer and a place in the text', (t) => {
  for (const mistake of all) {
    const text = textOf(mistake);
    const errors = errorsOf(text, mistake.values);
    t.ok(errors.length > 0, mistake.title);
    for (const { pointer, line = 0, column = 0 } of errors) {
      t.match(pointer, /^(?:\/.+)*$/, mistake.title);
      const source = text.split('\n')[line - 1];
      t.ok(source !== undefined && column >= 1 && column <= source.length + 1, mistake.title);
    }
  }
  t.end();
});
