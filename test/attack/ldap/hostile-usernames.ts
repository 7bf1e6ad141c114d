/**
 * Usernames that try to change the search filter or the DN of a bind (T12). All users have the same password, so a name that
 * matches another entry logs in; a name that matches several is refused for another reason than one that matches none.
 */
import { equal, ok } from 'node:assert/strict';
import { openLdapDirectory } from '../../../src/adapters/identity/ldap/ldap-directory.ts';
import { comparableName } from '../../../src/core/access/directory-input.ts';
import type { Directory, DirectoryAnswer } from '../../../src/core/ports/directory.ts';
import { PEOPLE, Slapd, slapdUser } from '../../kit/slapd.ts';
import type { AttackReport } from '../attack.ts';
import { ldapSettingsOf } from './attack-directory.ts';

const PASSWORD = 'the same secret';

/** Real names. The ones with special characters must log in: refusing every special character would be no proof. */
const NAMES = [
  'alice',
  'bob',
  'star*',
  'par(en)s',
  'back\\slash',
  'comma,name',
  'plus+equals=',
  'quote"d',
  '#hash',
  'semi;colon',
  '<angle>',
  'am&per|sand!',
  'ünï cödé',
  '日本',
  '{username}',
  '\\2a',
];

/** `V` is the name of a victim. */
const PATTERNS = [
  '*',
  'V*',
  '*V',
  '*V*',
  '**',
  'V**',
  '(V)',
  '(uid=V)',
  'V)',
  '(V',
  'V)(',
  'V)(|(uid=*',
  'V)(|(uid=*)',
  'V)(|(uid=*))',
  'V)(&',
  'V)(&)',
  'V)(objectClass=*',
  'V))(|(objectClass=*',
  '*)(uid=V',
  '*)(uid=*))(|(uid=*',
  '*))%00',
  'x)(|(uid=V',
  'x)(|(uid=V)(uid=V',
  'x)|(uid=V)',
  'x)(!(uid=x)',
  'x))(!(uid=x',
  '!(uid=x)',
  'V)(userPassword=*',
  'V)(userPassword=t*',
  '\\2a',
  'V\\2a',
  '\\2aV',
  '\\2A\\28V\\29',
  'V\\29\\28uid=\\2a',
  '\\V',
  'V\\',
  'V\\00',
  '\\00V',
  'V\u0000',
  '\u0000V',
  'V\u0000)(uid=*',
  '\u0001V',
  'V\u001f',
  'V\u007f',
  'V\u0085',
  // Overlong UTF-8 of *, ( and NUL, read as Latin-1; full-width and similar characters; halves of a surrogate pair.
  '\u00c0\u00aa',
  'V\u00c0\u00aa',
  '\u00c0\u00a8V\u00c0\u00a9',
  'V\u00c0\u0080',
  '\uff0a',
  'V\uff0a',
  '\uff08V\uff09',
  '\u2217',
  'V\ud800',
  '\udc00V',
  '\ufeffVx',
  'V\u202ex',
  // DNs in place of a name.
  'uid=V',
  `uid=V,${PEOPLE}`,
  `V,${PEOPLE}`,
  'V,dc=farm,dc=test',
  'V+cn=V',
  'V;dc=test',
  '"V"',
  "'V'",
  '<V>',
  '#04056865786c6f',
  'cn=service,dc=farm,dc=test',
  'V@farm.test',
  'FARM\\V',
  // Assertions of other kinds, variables, other languages.
  '>=V',
  '=V',
  '~=V',
  'V:=x',
  ':dn:=V',
  'uid:caseExactMatch:=V',
  '1.2.840.113556.1.4.803:=1',
  '{username}V',
  '{dn}',
  '${V}',
  '%s',
  '%2a',
  '&#42;',
  '$(V)',
  "V' or '1'='1",
  'V x',
  'xV',
  'V1',
  'VV',
] as const;

/** Filters of operators: each builds other objects. */
const FILTERS = [
  '(uid={username})',
  '(&(objectClass=inetOrgPerson)(uid={username}))',
  '(|(uid={username})(mail={username}))',
  '(&(uid={username})(!(description=blocked))(sn=Per*))',
] as const;

/** Returns hostile name number `index`: patterns with each victim, then pairs of patterns. */
function hostileUsername(index: number): string {
  const pick = <T>(list: readonly T[], at: number, none: T): T => list[at % list.length] ?? none;
  const victim = pick(NAMES, Math.floor(index / PATTERNS.length), 'alice');
  const first = pick<string>(PATTERNS, index, '*').replaceAll('V', victim);
  const round = Math.floor(index / (PATTERNS.length * NAMES.length));
  // The second pattern of a later round replaces the victim of the first one.
  return round === 0 ? first : pick<string>(PATTERNS, index * 7 + round, '*').replaceAll('V', first);
}

/** Returns what is wrong with the answer to a name: it must belong to this name and to no other. */
function violationOf(given: string, answer: DirectoryAnswer): string | null {
  const isRight =
    answer.kind === 'accepted'
      ? comparableName(given) === comparableName(answer.identity.username)
      : answer.kind === 'refused' && /^no entry below |^the username /.test(answer.reason);
  return isRight ? null : `${JSON.stringify(given)}: ${JSON.stringify(answer)}`;
}

/**
 * Logs in with `count` hostile names at a real directory. A name that gets another entry is a violation. All real names must
 * log in.
 */
export async function run(count: number): Promise<AttackReport> {
  const server = await Slapd.start({ entries: NAMES.map((name) => slapdUser(name, PASSWORD)) });
  const directories: Directory[] = [];
  const violations: string[] = [];
  try {
    for (const filter of FILTERS)
      directories.push(
        openLdapDirectory(ldapSettingsOf({ url: server.url, user_filter: filter }), () => undefined),
      );
    for (const directory of directories) {
      for (const name of NAMES) {
        const answer = await directory.authenticate(name, PASSWORD);
        ok(answer.kind === 'accepted', `${name}: ${JSON.stringify(answer)}`);
        equal(answer.identity.username, name);
      }
    }
    for (let index = 0; index < count; index++) {
      const name = hostileUsername(index);
      const directory = directories[index % directories.length];
      if (directory === undefined) throw new RangeError('no directory');
      const violation = violationOf(name, await directory.authenticate(name, PASSWORD));
      if (violation !== null) violations.push(violation);
    }
    return { tried: count, violations };
  } finally {
    await Promise.all(directories.map((directory) => directory.close()));
    await server.stop();
  }
}
