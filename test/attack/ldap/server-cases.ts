/** Attacks by a server or a host on the path: certificates, StartTLS, silence, outages, malformed messages (T14). */
import { equal, ok } from 'node:assert/strict';
import type { DirectoryAnswer } from '../../../src/core/ports/directory.ts';
import { openLdapDirectory } from '../../../src/adapters/identity/ldap/ldap-directory.ts';
import {
  BIND_RESPONSE,
  EXTENDED_RESPONSE,
  ber,
  ldapResult,
  startAnswering,
  startRelay,
  startStalling,
  type Endpoint,
} from '../../kit/ldap-endpoints.ts';
import { freePort } from '../../kit/nats-server.ts';
import { ldapSettingsOf, login, type AttackCase, type LdapKeys } from './attack-directory.ts';
import {
  PASSWORD,
  accepted,
  gotNoPassword,
  refused,
  unavailable,
  type ConfusionWorld,
} from './confusion-world.ts';

/** A case that a short deadline ends. */
const SILENT = '300ms';

const alice = (keys: LdapKeys, failovers?: string[]): Promise<DirectoryAnswer> =>
  login(keys, 'alice', PASSWORD, failovers);

/** Runs a case with an endpoint, and closes it. */
async function withEndpoint(
  start: Promise<Endpoint>,
  use: (endpoint: Endpoint) => Promise<void>,
): Promise<void> {
  const endpoint = await start;
  try {
    await use(endpoint);
  } finally {
    await endpoint.close();
  }
}

/** Keys, and the reason why no server answers; null: the login succeeds. */
function certificateCases({ server, impostor, files }: ConfusionWorld): AttackCase[] {
  const local = (url: string): string => url.replace('127.0.0.1', 'localhost');
  const table: readonly (readonly [title: string, keys: LdapKeys, reason: RegExp | null])[] = [
    ['ldaps', { url: server.tlsUrl, ca_file: server.caFile }, null],
    ['ldaps by name', { url: local(server.tlsUrl), ca_file: server.caFile }, null],
    ['StartTLS', { url: server.url, start_tls: true, ca_file: server.caFile }, null],
    ['StartTLS by name', { url: local(server.url), start_tls: true, ca_file: server.caFile }, null],
    ['ldaps, unknown authority', { url: server.tlsUrl }, /unable to|self.signed/],
    ['StartTLS, unknown authority', { url: server.url, start_tls: true }, /unable to|self.signed/],
    [
      'ldaps, other authority',
      { url: server.tlsUrl, ca_file: files.otherCa },
      /unable to|self.signed|signature/,
    ],
    [
      'StartTLS, other authority',
      { url: server.url, start_tls: true, ca_file: files.otherCa },
      /unable to|self.signed|signature/,
    ],
    [
      'ldaps, other host',
      { url: impostor.tlsUrl, ca_file: impostor.caFile },
      /does not match|not in the cert/,
    ],
    [
      'ldaps by name, other host',
      { url: local(impostor.tlsUrl), ca_file: impostor.caFile },
      /does not match|not in the cert/,
    ],
    [
      'StartTLS, other host',
      { url: impostor.url, start_tls: true, ca_file: impostor.caFile },
      /does not match|not in the cert/,
    ],
    [
      'StartTLS by name, other host',
      { url: local(impostor.url), start_tls: true, ca_file: impostor.caFile },
      /does not match|not in the cert/,
    ],
    ['ldaps at a port without TLS', { url: `ldaps://127.0.0.1:${server.port}`, ca_file: server.caFile }, /:/],
    ['no TLS at a port with TLS', { url: `ldap://127.0.0.1:${server.tlsPort}` }, /:/],
    [
      'missing file',
      { url: server.tlsUrl, ca_file: files.missing },
      /auth\.ldap\.ca_file: the file .* cannot be used/,
    ],
    ['file without certificates', { url: server.tlsUrl, ca_file: files.garbage }, /:/],
  ];
  return table.map(([title, keys, reason]) => ({
    title,
    run: async () => {
      const answer = await alice({ ...keys, timeout: '2s' });
      if (reason === null) equal(accepted(answer).username, 'alice');
      else unavailable(answer, reason);
    },
  }));
}

/** Answers of a host on the path to the request for StartTLS, after which no password may be sent. */
function strippingCases({ server, fragile }: ConfusionWorld): AttackCase[] {
  const attack = (title: string, start: () => Promise<Endpoint>): AttackCase => ({
    title: `StartTLS: ${title}`,
    run: () =>
      withEndpoint(start(), async (endpoint) => {
        const keys = { url: endpoint.url, start_tls: true, ca_file: server.caFile, timeout: SILENT };
        unavailable(await alice(keys), /^ldap:/);
        ok(endpoint.connections() > 0);
        gotNoPassword(endpoint);
      }),
  });
  const success = ldapResult(1, EXTENDED_RESPONSE, 0);
  const injected: readonly (readonly [string, Buffer])[] = [
    ...[1, 2, 3, 4].map((id) => [`bind response ${id}`, ldapResult(id, BIND_RESPONSE, 0)] as const),
    // It would swallow the first encrypted answer as the text of its message.
    ['the start of a bind response', ldapResult(2, BIND_RESPONSE, 0, 'x'.repeat(100)).subarray(0, 30)],
    ['one byte', Buffer.from([0x30])],
  ];
  const answers: readonly (readonly [string, Buffer])[] = [
    ...[1, 2, 10, 49, 52, 53, 80].map(
      (code) => [`result code ${code}`, ldapResult(1, EXTENDED_RESPONSE, code)] as const,
    ),
    ['the answer to another request', ldapResult(7, EXTENDED_RESPONSE, 0)],
    ['an answer to a bind', ldapResult(1, BIND_RESPONSE, 0)],
    ['no LDAP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a message of 4 GiB', Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])],
    ['a message without a length', Buffer.from([0x30, 0x80, 0x02, 0x01, 0x01])],
    ['an empty message', Buffer.from([0x30, 0x00])],
  ];
  return [
    ...answers.map(([title, answer]) => attack(title, () => startAnswering(answer))),
    attack('success and the end of the connection', () => startAnswering(success, 'end')),
    attack('success and silence', () => startAnswering(success)),
    attack('success and a connection without TLS', () => startAnswering(success, 'relay', server.port)),
    attack('success and plain answers', () =>
      startAnswering(Buffer.concat([success, ldapResult(2, BIND_RESPONSE, 0)])),
    ),
    attack('a server without TLS', () => startRelay(fragile.port)),
    ...injected.map(([title, bytes]) =>
      attack(`success and ${title}, then the real server`, () =>
        startAnswering(Buffer.concat([success, bytes]), 'relay', server.tlsPort),
      ),
    ),
  ];
}

/** Silence at each step of a login. */
function silenceCases({ server, fragile }: ConfusionWorld): AttackCase[] {
  const noAnswer = /no answer within 300 ms/;
  const frozen: readonly (readonly [string, LdapKeys])[] = [
    ['ldap', {}],
    ['StartTLS', { start_tls: true, ca_file: server.caFile }],
  ];
  return [
    ...frozen.map(([title, keys]) => ({
      title: `a suspended server, ${title}`,
      run: async () => {
        await fragile.freeze();
        try {
          unavailable(await alice({ url: fragile.url, timeout: SILENT, ...keys }), noAnswer);
        } finally {
          fragile.thaw();
        }
        accepted(await alice({ url: fragile.url }));
      },
    })),
    // Bind, search, bind of the user, end of its connection, search of groups.
    ...[0, 1, 2, 4].map((count) => ({
      title: `silence after ${count} messages`,
      run: () =>
        withEndpoint(startStalling(server.port, count), async ({ url }) => {
          const keys = {
            url,
            timeout: SILENT,
            group_roles: { 'cn=operators,ou=groups,dc=farm,dc=test': 'user' },
          };
          unavailable(await alice(keys), noAnswer);
        }),
    })),
    ...[0, 1, 3].map((count) => ({
      title: `silence after ${count} messages of TLS`,
      run: () =>
        withEndpoint(startStalling(server.tlsPort, count), async ({ port }) => {
          const url = `ldaps://127.0.0.1:${port}`;
          unavailable(await alice({ url, ca_file: server.caFile, timeout: SILENT }), noAnswer);
        }),
    })),
  ];
}

/** Which answers are final, and after which the next server is asked. */
function failoverCases({ server, fragile, impostor }: ConfusionWorld): AttackCase[] {
  const next = (title: string, start: () => Promise<Endpoint>): AttackCase => ({
    title: `the next server is asked: ${title}`,
    run: () =>
      withEndpoint(start(), async ({ url }) => {
        const failovers: string[] = [];
        accepted(await alice({ url: [url, server.url], timeout: SILENT }, failovers));
        equal(failovers.length, 1);
        ok(failovers[0]?.startsWith(`${url}: `), failovers[0]);
      }),
  });
  const final = (
    title: string,
    { keys = {}, user = 'alice', password = PASSWORD }: { keys?: LdapKeys; user?: string; password?: string },
    expect: (answer: DirectoryAnswer) => void,
  ): AttackCase => ({
    title: `the next server is not asked: ${title}`,
    run: () =>
      withEndpoint(startRelay(server.port), async (second) => {
        expect(await login({ url: [fragile.url, second.url], ...keys }, user, password));
        equal(second.connections(), 0);
      }),
  });
  return [
    next('silence', () => startStalling(server.port, 0)),
    next('silence after the bind', () => startStalling(server.port, 1)),
    next('busy', () => startAnswering(ldapResult(2, BIND_RESPONSE, 51))),
    next('unavailable', () => startAnswering(ldapResult(2, BIND_RESPONSE, 52))),
    next('the end of the connection', () => startAnswering(Buffer.alloc(0), 'end')),
    final('wrong password', { password: 'wrong' }, (answer) => refused(answer, /^invalid credentials/)),
    final('unknown user', { user: 'stranger' }, (answer) => refused(answer, /^no entry/)),
    final('two entries', { user: 'dup' }, (answer) => refused(answer, /^several/)),
    final('no role', { keys: { default_role: '', group_roles: { 'cn=x,dc=test': 'admin' } } }, (answer) =>
      refused(answer, /^none of the/),
    ),
    final('refused service account', { keys: { bind_password: 'wrong' } }, (answer) =>
      unavailable(answer, /the account of auth\.ldap\.bind_dn is refused: invalid credentials/),
    ),
    final('missing base', { keys: { user_base: 'ou=nothing,dc=farm,dc=test' } }, (answer) =>
      unavailable(answer, /the search below ou=nothing,dc=farm,dc=test failed/),
    ),
    {
      title: 'a search is not sent on another connection than the bind',
      run: () =>
        withEndpoint(startAnswering(ldapResult(2, BIND_RESPONSE, 0), 'end'), async (endpoint) => {
          unavailable(await alice({ url: endpoint.url, timeout: '5s' }), /closed/i);
          equal(endpoint.connections(), 1);
        }),
    },
    {
      title: 'a refused connection, then a wrong certificate, then the answer',
      run: async () => {
        const failovers: string[] = [];
        const closed = `ldaps://127.0.0.1:${await freePort()}`;
        const url = [closed, impostor.tlsUrl, server.tlsUrl];
        accepted(await alice({ url, ca_file: server.caFile }, failovers));
        equal(failovers.length, 2);
      },
    },
    {
      title: 'the server that answered is asked first',
      run: () =>
        withEndpoint(startStalling(server.port, 0), async (first) => {
          const settings = ldapSettingsOf({ url: [first.url, server.url], timeout: SILENT });
          const directory = openLdapDirectory(settings, () => undefined);
          try {
            for (let time = 0; time < 3; time++) accepted(await directory.authenticate('alice', PASSWORD));
          } finally {
            await directory.close();
          }
          equal(first.connections(), 1);
        }),
    },
    {
      title: 'an outage of all servers names each',
      run: async () => {
        const urls = [await freePort(), await freePort()].map((port) => `ldap://127.0.0.1:${port}`);
        const answer = await alice({ url: urls });
        unavailable(answer, /ECONNREFUSED/);
        ok(urls.every((url) => 'reason' in answer && answer.reason.includes(url)));
      },
    },
  ];
}

/** Malformed bytes in place of an answer. They may end the login, but not the process. */
function malformedCases(): AttackCase[] {
  const tiny = ber(0x30, ber(0x02, Buffer.from([9])), ber(BIND_RESPONSE));
  const answers: readonly (readonly [string, Buffer])[] = [
    ['many small messages', Buffer.concat(Array.from({ length: 20_000 }, () => tiny))],
    ['zeros', Buffer.alloc(70_000)],
    ['sequences of length zero', Buffer.concat(Array.from({ length: 30_000 }, () => Buffer.from([0x30, 0])))],
    ['a bind response without content', ber(0x30, ber(0x02, Buffer.from([2])), ber(BIND_RESPONSE))],
    ['a length beyond the message', Buffer.from([0x30, 0x06, 0x02, 0x01, 0x02, 0x61, 0x7f, 0x0a])],
    ['an identifier of nine bytes', ber(0x30, ber(0x02, Buffer.alloc(9, 1)), ber(BIND_RESPONSE))],
    ['an unknown operation', ber(0x30, ber(0x02, Buffer.from([2])), ber(0x7e))],
    ['an unknown result code', ldapResult(2, BIND_RESPONSE, 127)],
    ['a length of 5 bytes', Buffer.from([0x30, 0x85, 1, 1, 1, 1, 1])],
    ['text', Buffer.from('220 mail.example ESMTP\r\n')],
  ];
  return answers.map(([title, answer]) => ({
    title: `malformed: ${title}`,
    run: () =>
      withEndpoint(startAnswering(answer), async ({ url }) => {
        unavailable(await alice({ url, timeout: SILENT }), /^ldap:/);
      }),
  }));
}

export const serverCases = (world: ConfusionWorld): AttackCase[] => [
  ...certificateCases(world),
  ...strippingCases(world),
  ...silenceCases(world),
  ...failoverCases(world),
  ...malformedCases(),
];
