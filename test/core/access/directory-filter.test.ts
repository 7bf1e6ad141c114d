import fc from 'fast-check';
import { test } from 'tap';
import {
  expandFilter,
  parseFilterTemplate,
  usernameAttribute,
  type FilterTemplate,
} from '../../../src/core/access/directory-filter.ts';

function template(text: string): FilterTemplate {
  const parsed = parseFilterTemplate(text, ['username', 'dn']);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.wrong}`);
  return parsed.template;
}

const wrong = (text: string): string => {
  const parsed = parseFilterTemplate(text, ['username']);
  return parsed.ok ? '' : parsed.wrong;
};

test('a filter is parsed to a tree, and values are put into it', async (t) => {
  t.same(expandFilter(template('(uid={username})'), { username: '*)(' }), {
    kind: 'equal',
    attribute: 'uid',
    value: '*)(',
  });
  t.same(expandFilter(template('(&(cn=a*\\2a*)(!(mail=x-{username}@{dn})))'), { username: 'u', dn: 'd' }), {
    kind: 'and',
    filters: [
      { kind: 'substrings', attribute: 'cn', initial: 'a', any: ['*'], final: '' },
      { kind: 'not', filter: { kind: 'equal', attribute: 'mail', value: 'x-u@d' } },
    ],
  });
  t.same(expandFilter(template('(member:1.2.840.113556.1.4.1941:={dn})'), { dn: 'cn=a' }), {
    kind: 'extensible',
    attribute: 'member',
    rule: '1.2.840.113556.1.4.1941',
    isDnIncluded: false,
    value: 'cn=a',
  });
  t.same(expandFilter(template('(uid=\\c3\\bc\\7b{username}\\7d)'), { username: 'x' }), {
    kind: 'equal',
    attribute: 'uid',
    value: 'ü{x}',
  });
  t.throws(() => expandFilter(template('(uid={username})'), { dn: 'x' }), /no value for \{username\}/);
});

test('an invalid filter is an error that says what is wrong', async (t) => {
  for (const [text, message] of [
    ['', /must have \( at position 1/],
    ['uid={username}', /must have \( at position 1/],
    ['(uid={username}', /must have \) at position 16/],
    ['(uid={username}))', /text after its end: "\)"/],
    ['(uid={username})(uid=a)', /text after its end/],
    ['(uid=alice)', /must contain \{username\}/],
    ['(uid=*)', /must contain/],
    ['(uid={user})', /unknown placeholder: \{user\}/],
    ['(uid={dn})', /unknown placeholder: \{dn\}/],
    ['(uid={username}*)', /placeholder in a value with \*/],
    ['(uid=*{username})', /placeholder in a value with \*/],
    ['(cn=a**b)', /has \*\* in a value/],
    ['(&)', /has & without a filter/],
    ['(|)', /has \| without a filter/],
    ['(!)', /must have \(/],
    ['({username}=a)', /invalid comparison/],
    ['(u id={username})', /invalid comparison/],
    ['(={username})', /without an attribute/],
    ['(:={username})', /without an attribute/],
    ['(uid=)', /without a value/],
    ['(uid=\\zz{username})', /invalid escape/],
    ['(uid=\\{username})', /invalid escape/],
    ['(uid=\\ff{username})', /invalid escape/],
    [`${'(!'.repeat(20)}(uid={username})${')'.repeat(20)}`, /more than 20 levels/],
    [`(uid={username}${'x'.repeat(5_000)})`, /longer than 4096 characters/],
  ] as const)
    t.match(wrong(text), message, text);
});

test('the attribute of the username is the first one that is equal to it alone', async (t) => {
  t.equal(
    usernameAttribute(template('(|(mail={username}@x)(&(a=b)(sAMAccountName={username}))(uid={username}))')),
    'sAMAccountName',
  );
  t.equal(usernameAttribute(template('(!(uid={username}))')), null);
  t.equal(usernameAttribute(template('(uid:caseExactMatch:={username})')), null);
  t.equal(usernameAttribute(template('(member={dn})')), null);
});

test('a value is used as it is, and any text is a filter or an error', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (username) => {
      t.same(expandFilter(template('(uid={username})'), { username }), {
        kind: 'equal',
        attribute: 'uid',
        value: username,
      });
    }),
  );
  const text = fc.string({
    unit: fc.constantFrom(
      '(',
      ')',
      '&',
      '|',
      '!',
      '=',
      '*',
      '\\',
      '2',
      'a',
      ':',
      '{',
      '}',
      'username',
      '{username}',
      '\ud800',
    ),
  });
  fc.assert(
    fc.property(text, (given) => {
      t.ok(['boolean'].includes(typeof parseFilterTemplate(given, ['username']).ok));
    }),
  );
});
