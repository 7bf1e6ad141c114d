import { test } from 'tap';
import { parseFormatString, resolveFormatString } from '../../../src/openjd/template/format-string.ts';

function resolved(text: string, values: Readonly<Record<string, string>>): string | null {
  const parsed = parseFormatString(text);
  if (!parsed.ok) throw new Error(parsed.detail);
  const result = resolveFormatString(parsed.value, (symbol) => values[symbol]);
  return result.ok ? result.text : null;
}

void test('references are replaced, and other text is kept', (t) => {
  const values = { 'Param.A': '1', 'Task.Param.B': '{{Param.A}}' };
  t.equal(resolved('', values), '');
  t.equal(resolved('a {b} } {', values), 'a {b} } {');
  t.equal(resolved('{{Param.A}}', values), '1');
  t.equal(
    resolved('x{{ Param.A }}y{{\tTask.Param.B\n}}z', values),
    'x1y{{Param.A}}z',
    'a value is not parsed as a template',
  );
  t.equal(resolved('{{ Param.A }}{', values), '1{');
  t.equal(resolved('{{Param.B}}', values), null);
  t.end();
});

void test('unknown names are returned', (t) => {
  const parsed = parseFormatString('{{A}} {{B.C}}');
  t.ok(parsed.ok);
  if (parsed.ok) {
    t.same(
      resolveFormatString(parsed.value, (symbol) => (symbol === 'A' ? '' : undefined)),
      { ok: false, unknown: 'B.C' },
    );
  }
  t.end();
});

void test('unbalanced braces, and anything but one name between them, are errors', (t) => {
  const detail = (text: string): string => {
    const parsed = parseFormatString(text);
    return parsed.ok ? '' : parsed.detail;
  };
  t.equal(detail('a }} b'), '"}}" has no opening "{{"');
  t.equal(detail('{{A}} }}'), '"}}" has no opening "{{"');
  t.equal(detail('a {{ b'), '"{{" has no closing "}}"');
  t.equal(detail('{{}}'), 'there is nothing between "{{" and "}}"');
  t.equal(detail('{{  }}'), 'there is nothing between "{{" and "}}"');
  for (const text of [
    '{{A B}}',
    '{{1A}}',
    '{{A.}}',
    '{{.A}}',
    '{{A..B}}',
    '{{A + 1}}',
    '{{ {{A}} }}',
    '{{{A}}}',
    '{{A-B}}',
  ]) {
    t.match(detail(text), /is not the name of a value/, text);
  }
  t.match(detail('{{A}}'.repeat(1001)), /more than 1000 references/);
  t.end();
});
