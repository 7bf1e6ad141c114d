import { test } from 'tap';
import { jobLinks } from '../../../src/core/config/job-links.ts';

const type = jobLinks();

test('links are a map, or its JSON as text', (t) => {
  const map = { Tracker: 'https://example.org/{job.name}?shot={parameter.Shot}', Local: 'http://[::1]:8080' };
  const links = Object.entries(map).map(([name, url]) => ({ name, url }));
  t.strictSame(type.fromDocument(map), { ok: true, value: links });
  t.strictSame(type.fromText(JSON.stringify(map)), { ok: true, value: links });
  t.strictSame(type.fromText(''), { ok: true, value: [] });
  t.end();
});

test('invalid links name the link and the fault', (t) => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ A: 'javascript:alert(1)' }, /"A" .*http:\/\//],
    [{ A: 'https://{job.name}.example.org/' }, /host without placeholders/],
    [{ A: 'https://example.org/{job.secret}' }, /unknown placeholder \{job.secret\}/],
    [{ A: 'https://example.org/a b' }, /spaces/],
    [{ A: 7 }, /must be a text/],
    [{ '': 'https://example.org' }, /1 to 40 characters/],
    [['https://example.org'], /map of name to URL/],
    ['{', /JSON object/],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_u, at) => [`L${at}`, 'https://example.org'])),
      /at most 20/,
    ],
  ];
  for (const [value, wanted] of cases) {
    const parsed = type.fromDocument(value);
    t.notOk(parsed.ok);
    t.match(JSON.stringify(parsed).replaceAll('\\"', '"'), wanted);
  }
  t.end();
});
