import fc from 'fast-check';
import { test } from 'tap';
import { formatOf, renderMessage, type MessageFormat } from '../../../src/core/webhooks/message-format.ts';

function made(document: unknown, name = 'chat'): MessageFormat {
  const result = formatOf(name, document);
  if (!result.ok) throw new Error(result.detail);
  return result.format;
}

test('placeholders are replaced by escaped values', (t) => {
  const format = made({
    title: 'Chat',
    escape: { '<': '&lt;', '&': '&amp;' },
    words: { icon: { 'job.failed': ':x:' } },
    body: {
      text: '{{icon}} {{ job.name }} {{job.missing}}{{job}}',
      n: [1, null, true, '{{count}}'],
      '{{icon}}': 'key',
    },
  });
  const event = { job: { name: '<a & "b">\n{{icon}}' }, count: 3 };
  t.strictSame(JSON.parse(renderMessage(format, 'job.failed', event)), {
    text: ':x: &lt;a &amp; "b">\n{{icon}} ',
    n: [1, null, true, '3'],
    '{{icon}}': 'key',
  });
  t.match(JSON.parse(renderMessage(format, 'job.completed', event)), { text: /^ &lt;a/ }, 'no word');
  t.end();
});

test('a body is JSON whatever the values, and contains no unescaped character', (t) => {
  const format = made({ title: 'Chat', escape: { '@': '(at)', '"': '' }, body: { text: 'a {{x.y}} b' } });
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60, size: 'max' }), (value) => {
      const body = JSON.parse(renderMessage(format, 'job.failed', { x: { y: value } })) as { text: string };
      return (
        body.text ===
        `a ${[...value].map((each) => (each === '@' ? '(at)' : each === '"' ? '' : each)).join('')} b`
      );
    }),
  );
  const long = JSON.parse(renderMessage(format, 'job.failed', { x: { y: 'é'.repeat(10_000) } })) as {
    text: string;
  };
  t.equal(long.text.length, 504, 'a long value is shortened');
  for (const path of ['constructor', '__proto__', 'x.constructor.name'])
    t.equal(
      renderMessage(made({ title: 'C', body: `{{${path}}}` }), 'job.failed', { x: {} }),
      '""',
      'no members of prototypes',
    );
  t.end();
});

test('a wrong document is refused with its place', (t) => {
  const body = 'x';
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [null, /mapping/],
    [{ body }, /title/],
    [{ title: '', body }, /title/],
    [{ title: 'C' }, /body/],
    [{ title: 'C', body, more: 1 }, /unknown key "more"/],
    [{ title: 'C', body, escape: { ab: 'c' } }, /escape/],
    [{ title: 'C', body, escape: { a: 1 } }, /escape/],
    [{ title: 'C', body, words: { icon: 'x' } }, /words.icon/],
    [
      { title: 'C', body, words: { icon: { 'job.gone': 'x' } } },
      /words.icon: unknown type of event "job.gone"/,
    ],
    [{ title: 'C', body: [() => 1] }, /body/],
  ];
  for (const [document, reason] of wrong) {
    const result = formatOf('chat', document);
    t.match(result.ok ? 'accepted' : result.detail, reason);
  }
  for (const name of ['generic', 'Chat', '-a', '', 'a'.repeat(65)])
    t.equal(formatOf(name, { title: 'C', body }).ok, false, name);
  t.end();
});
