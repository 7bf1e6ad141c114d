import { test } from 'tap';
import { readFlags } from '../../../src/core/config/flags.ts';
import { normalDn } from '../../../src/core/access/distinguished-name.ts';
import { serverConfig } from '../../../src/core/config/server-config.ts';

const REQUIRED = {
  enabled: true,
  url: 'ldaps://directory.farm',
  user_base: 'ou=people,dc=farm',
  unique_id_attr: 'entryUUID',
  default_role: 'user',
};

const resolve = (
  ldap: Readonly<Record<string, unknown>>,
  environment: Record<string, string> = {},
  args: readonly string[] = [],
) => {
  const flags = readFlags(args);
  if (!flags.ok) throw new Error(flags.lines.join('\n'));
  const file = { path: 'callsheet.yaml', document: { auth: { enabled: true, ldap } } };
  return serverConfig({ file, environment, flags: flags.flags });
};

const linesOf = (ldap: Readonly<Record<string, unknown>>, environment?: Record<string, string>) => {
  const resolved = resolve(ldap, environment);
  return resolved.ok ? [] : resolved.lines;
};

const SOURCE = '(set in the file callsheet.yaml)';

test('the directory is off by default, and its keys are then not required', async (t) => {
  t.match(resolve({}), { ok: true, values: { auth: { ldap: null } }, notes: [] });
  t.match(resolve({ url: 'ldap://a', bind_dn: 'cn=a' }), { ok: true, values: { auth: { ldap: null } } });
});

test('without authentication the directory has no effect', async (t) => {
  const file = { path: 'callsheet.yaml', document: { auth: { ldap: { enabled: true } } } };
  t.match(serverConfig({ file, environment: {}, flags: [] }), {
    ok: true,
    values: { auth: { enabled: false, ldap: null } },
    notes: ['auth.ldap.enabled: has no effect, because auth.enabled is false'],
  });
});

test('the settings of the directory are read from the file', async (t) => {
  t.match(
    resolve({
      ...REQUIRED,
      url: ['ldaps://a.farm', 'ldaps://[::1]:1636/'],
      ca_file: '/etc/ca.pem',
      timeout: '2s',
      bind_dn: 'cn=service,dc=farm',
      bind_password_file: '/etc/password',
      user_filter: '(&(objectClass=user)(sAMAccountName={username}))',
      group_base: 'ou=groups,dc=farm',
      group_roles: { 'CN=TD, OU=groups,dc=farm': 'operator' },
    }),
    {
      ok: true,
      notes: [],
      values: {
        auth: {
          ldap: {
            servers: [
              { url: 'ldaps://a.farm', host: 'a.farm', port: 636, isLdaps: true },
              { url: 'ldaps://[::1]:1636/', host: '::1', port: 1636, isLdaps: true },
            ],
            isStartTls: false,
            caFile: '/etc/ca.pem',
            timeoutMs: 2_000,
            bind: { dn: 'cn=service,dc=farm', password: { file: '/etc/password' } },
            userBase: 'ou=people,dc=farm',
            usernameAttr: 'sAMAccountName',
            uniqueIdAttr: 'entryUUID',
            displayNameAttr: 'displayName',
            groups: {
              base: 'ou=groups,dc=farm',
              roles: [{ group: normalDn('cn=td,ou=groups,dc=farm'), role: 'operator' }],
            },
            defaultRole: 'user',
          },
        },
      },
    },
  );
});

test('a variable has the roles of the groups as JSON', async (t) => {
  const environment = {
    SVC_AUTH_LDAP_GROUP_ROLES: '{"cn=td,dc=farm": "operator", "cn=a\\\\,b,dc=farm": "admin"}',
    SVC_AUTH_LDAP_BIND_PASSWORD: 's3cret',
  };
  t.match(resolve({ ...REQUIRED, group_base: 'dc=farm', bind_dn: 'cn=x' }, environment), {
    ok: true,
    values: {
      auth: {
        ldap: {
          bind: { dn: 'cn=x', password: { text: 's3cret' } },
          groups: {
            roles: [
              { group: normalDn('cn=td,dc=farm'), role: 'operator' },
              { group: normalDn('cn=a\\,b,dc=farm'), role: 'admin' },
            ],
          },
        },
      },
    },
  });
});

test('the password of the service account has no flag', async (t) => {
  t.same(resolve({}, {}, ['--auth-ldap-bind-password', 'hunter2']), {
    ok: false,
    lines: [
      'auth.ldap.bind_password: a secret has no flag, because command lines are public; set auth.ldap.bind_password_file or the environment variable SVC_AUTH_LDAP_BIND_PASSWORD (set in the flag --auth-ldap-bind-password)',
    ],
  });
  t.match(resolve({}, {}, ['--auth-ldap-enabled=false', '--auth-ldap-bind-password-file', 'f']), {
    ok: true,
  });
});

test('missing and contradictory keys of the directory stop the start, and are named', async (t) => {
  t.same(linesOf({ enabled: true }), [
    'auth.ldap.url: must be set when auth.ldap.enabled is true',
    'auth.ldap.user_base: must be a DN such as ou=people,dc=studio,dc=example, got ""',
    'auth.ldap.unique_id_attr: must be set when auth.ldap.enabled is true, for example entryUUID (OpenLDAP) or objectGUID (Active Directory)',
    'auth.ldap.group_roles: must be set if auth.ldap.default_role is empty: no user could log in',
  ]);
  const BIND =
    'auth.ldap.bind_dn: needs auth.ldap.bind_password or auth.ldap.bind_password_file, and these need auth.ldap.bind_dn';
  for (const [keys, lines] of [
    [{ bind_dn: 'cn=a' }, [BIND]],
    [{ bind_password: 'hunter2' }, [BIND]],
    [
      { bind_dn: 'cn=a', bind_password: 'hunter2', bind_password_file: 'b' },
      ['auth.ldap.bind_password: cannot be set together with auth.ldap.bind_password_file'],
    ],
    [
      { start_tls: true },
      ['auth.ldap.start_tls: cannot be used with ldaps:// in auth.ldap.url, which is encrypted already'],
    ],
    [
      { url: 'ldap://127.0.0.1', ca_file: 'ca.pem' },
      ['auth.ldap.ca_file: needs ldaps:// in auth.ldap.url, or auth.ldap.start_tls'],
    ],
    [
      { group_roles: { 'cn=a': 'user' } },
      ['auth.ldap.group_base: must be a DN such as ou=people,dc=studio,dc=example, got ""'],
    ],
    [
      { unique_id_attr: 'entryDN' },
      ['auth.ldap.unique_id_attr: must not be the DN, which changes when a user is renamed'],
    ],
    [
      { user_filter: '(mail={username}@farm)' },
      ['auth.ldap.user_filter: must contain a comparison such as (uid={username})'],
    ],
  ] as const)
    t.same(linesOf({ ...REQUIRED, ...keys }), lines);
});

test('values of the wrong form are named with their source', async (t) => {
  const line = (key: string, value: unknown): string | undefined => linesOf({ [key]: value })[0];
  for (const url of [
    'directory',
    'http://a',
    'ldap://',
    'ldap://a:0',
    'ldap://a:70000',
    'ldap://u:p@a',
    'ldap://a/dc=b',
    'ldapi:///x',
  ])
    t.equal(
      line('url', url),
      `auth.ldap.url: must be ldap://HOST[:PORT] or ldaps://HOST[:PORT], got ${JSON.stringify(url)} ${SOURCE}`,
    );
  t.match(
    line('user_filter', 'uid={username}'),
    /^auth\.ldap\.user_filter: must have \( at position 1, got /,
  );
  t.match(
    line('group_filter', '(member={user})'),
    /^auth\.ldap\.group_filter: has an unknown placeholder: \{user\}/,
  );
  t.match(line('unique_id_attr', 'a b'), /^auth\.ldap\.unique_id_attr: must be the name of an attribute/);
  t.match(line('default_role', 'root'), /^auth\.ldap\.default_role: must be one of read-only, user/);
  t.match(line('timeout', '0s'), /^auth\.ldap\.timeout: must be from 100ms to 1m/);
  t.equal(line('bind_password', 4711), `auth.ldap.bind_password: must be text ${SOURCE}`);
  t.match(line('group_roles', ['cn=a']), /^auth\.ldap\.group_roles: must be a map of group DN to role/);
  t.match(
    line('group_roles', { artists: 'user' }),
    /^auth\.ldap\.group_roles: has a key that is not a DN: "artists"/,
  );
  t.match(
    line('group_roles', { 'cn=a': 'boss' }),
    /"cn=a" must have one of read-only, user, operator, admin as its role, got "boss"/,
  );
  t.match(line('group_roles', { 'cn=a': 'user', 'CN=A': 'admin' }), /contains the group "CN=A" twice/);
  t.match(line('group_roles', 'cn=a=user'), /must be a JSON object such as/);
});

test('a directory without encryption is noted, unless it is on the loopback', async (t) => {
  const notes = (keys: Readonly<Record<string, unknown>>): readonly string[] => {
    const resolved = resolve({ ...REQUIRED, ...keys });
    return resolved.ok ? resolved.notes : resolved.lines;
  };
  t.same(notes({ url: ['ldaps://a', 'ldap://b.farm'] }), [
    'auth.ldap.url: passwords are sent to ldap://b.farm without encryption; use ldaps:// or set auth.ldap.start_tls',
  ]);
  t.same(notes({ url: 'ldap://b.farm', start_tls: true }), []);
  t.same(notes({ url: 'ldap://127.0.0.1:3389' }), []);
});
