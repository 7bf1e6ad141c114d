import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { parse } from 'yaml';
import { serverConfig } from '../../../src/core/config/server-config.ts';

/** Returns the content of the code blocks of a language in a page. */
const blocks = (page: string, language: string): string[] =>
  [...page.matchAll(/^```([a-z]+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );

const PAGE = readFileSync('docs/sign-in-ldap.md', 'utf8');

test('the configurations of the guide are valid', async (t) => {
  const examples = blocks(PAGE, 'yaml');
  t.equal(examples.length, 2);
  for (const example of examples) {
    const file = { path: 'callsheet.yaml', document: parse(example) as unknown };
    const resolved = serverConfig({ file, environment: {}, flags: [] });
    t.same(resolved.ok ? resolved.notes : resolved.lines, []);
    t.ok(resolved.ok && resolved.values.auth.ldap?.groups?.roles.length);
  }
});

test('the variable and the filters of the guide are valid', async (t) => {
  const [, json = ''] = /^SVC_AUTH_LDAP_GROUP_ROLES='(.*)'$/m.exec(PAGE) ?? [];
  const [example = ''] = blocks(PAGE, 'yaml');
  const file = { path: 'callsheet.yaml', document: parse(example) as unknown };
  const filters = [...PAGE.matchAll(/^\| `(\(.*\))` +\|/gm)].map(([, filter = '']) => filter);
  t.equal(filters.length, 6);
  for (const filter of filters) {
    const key = /uid=|sAMAccountName/.test(filter) ? 'USER' : 'GROUP';
    const environment = {
      SVC_AUTH_LDAP_GROUP_ROLES: json,
      [`SVC_AUTH_LDAP_${key}_FILTER`]: filter,
    };
    const resolved = serverConfig({ file, environment, flags: [] });
    t.same(resolved.ok ? [] : resolved.lines, [], filter);
    t.equal(resolved.ok && resolved.values.auth.ldap?.groups?.roles[0]?.role, 'operator');
  }
});
