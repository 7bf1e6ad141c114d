import type { Entry } from 'ldapts';
import { expandFilter } from '../../../core/access/directory-filter.ts';
import { comparableName } from '../../../core/access/directory-input.ts';
import { roleOfGroups } from '../../../core/access/directory-role.ts';
import { normalDn } from '../../../core/access/distinguished-name.ts';
import type { LdapGroups, LdapSettings } from '../../../core/config/ldap-settings.ts';
import type { LdapServer } from '../../../core/config/ldap-types.ts';
import type { DirectoryAnswer } from '../../../core/ports/directory.ts';
import { usernameFault } from '../../../core/records/user.ts';
import { readSecret } from '../../system/secret-file.ts';
import { LdapConnection } from './connection.ts';
import { textsOf, uniqueIdText, valuesOf } from './entry-values.ts';
import { DirectoryFault, messageOf } from './fault.ts';
import { LDAP_LIMITS } from './limits.ts';

type Answered = Exclude<DirectoryAnswer, { kind: 'unavailable' }>;

/** The entry of a user. */
interface FoundUser {
  readonly dn: string;
  readonly externalId: string;
  readonly username: string;
  readonly displayName: string;
}

const refused = (reason: string): Answered => ({ kind: 'refused', reason });

/**
 * Checks credentials at one server: finds the one entry of the name with the service account, binds as this entry on a
 * connection of its own, and finds its groups with the service account. The name and the password are valid input
 * (`directoryInputRefusal`).
 *
 * @throws DirectoryFault if the server cannot answer.
 */
export async function authenticateAt(
  server: LdapServer,
  settings: LdapSettings,
  { username, password }: { readonly username: string; readonly password: string },
  signal: AbortSignal,
): Promise<Answered> {
  const connection = await LdapConnection.open(server, settings, signal);
  try {
    await bindService(connection, settings);
    const user = await findUser(connection, settings, username);
    if (typeof user === 'string') return refused(user);
    const refusal = await passwordRefusal(server, settings, { dn: user.dn, password }, signal);
    if (refusal !== null) return refused(refusal);
    const groups = settings.groups === null ? [] : await groupsOf(connection, settings.groups, user);
    const role = roleOfGroups(groups, settings.groups?.roles ?? [], settings.defaultRole);
    if (role === null) return refused(`none of the ${groups.length} groups of ${user.dn} has a role`);
    const { externalId, displayName } = user;
    return { kind: 'accepted', identity: { externalId, username: user.username, displayName, role } };
  } finally {
    await connection.close();
  }
}

async function bindService(connection: LdapConnection, { bind }: LdapSettings): Promise<void> {
  if (bind === null) return;
  const refusal = await connection.bind(bind.dn, servicePassword(bind.password));
  if (refusal !== null)
    throw new DirectoryFault(`the account of auth.ldap.bind_dn is refused: ${refusal}`, false);
}

function servicePassword(source: NonNullable<LdapSettings['bind']>['password']): string {
  try {
    return readSecret('auth.ldap.bind_password_file', source);
  } catch (error) {
    throw new DirectoryFault(messageOf(error), false);
  }
}

/** Returns the user of a name, or why there is none. */
async function findUser(
  connection: LdapConnection,
  settings: LdapSettings,
  username: string,
): Promise<FoundUser | string> {
  const { userBase, userFilter, usernameAttr, uniqueIdAttr, displayNameAttr } = settings;
  const { entries, references } = await connection.search({
    base: userBase,
    filter: expandFilter(userFilter, { username }),
    attributes: [uniqueIdAttr, usernameAttr, displayNameAttr],
    binary: [uniqueIdAttr],
    most: 2,
  });
  const [entry, another] = entries;
  if (entry === undefined) {
    const others = references === 0 ? '' : `; ${references} referrals are not followed`;
    return `no entry below ${userBase} has this name${others}`;
  }
  if (another !== undefined) return `several entries below ${userBase} have this name`;
  if (normalDn(entry.dn) === null) return 'the entry has no valid DN';
  const ids = valuesOf(entry, uniqueIdAttr);
  const [id] = ids;
  if (id === undefined || ids.length > 1)
    return `${entry.dn} has ${ids.length} values of ${uniqueIdAttr}; exactly one is required`;
  const externalId = uniqueIdText(uniqueIdAttr, id);
  if (externalId === null) return `${entry.dn} has an empty or too long value of ${uniqueIdAttr}`;
  const name = nameOf(entry, usernameAttr, username);
  if (name === null) return `${entry.dn} has no usable value of ${usernameAttr}`;
  return {
    dn: entry.dn,
    externalId,
    username: name,
    displayName: displayNameOf(entry, displayNameAttr) ?? name,
  };
}

/** Returns the username as the directory spells it: of several values the one that was given. */
function nameOf(entry: Entry, attribute: string, given: string): string | null {
  const names = textsOf(entry, attribute).map((name) => name.trim());
  const same = names.find((name) => comparableName(name) === comparableName(given));
  const name = same ?? (names.length === 1 ? names[0] : undefined);
  return name === undefined || usernameFault(name) !== null ? null : name;
}

function displayNameOf(entry: Entry, attribute: string): string | null {
  const [text = ''] = textsOf(entry, attribute);
  const name = [...text.replace(/\p{Cc}+/gu, ' ').trim()].slice(0, LDAP_LIMITS.displayNameLength).join('');
  return name === '' ? null : name;
}

/** Returns why the server refuses the password, null if it accepts it. */
async function passwordRefusal(
  server: LdapServer,
  settings: LdapSettings,
  { dn, password }: { readonly dn: string; readonly password: string },
  signal: AbortSignal,
): Promise<string | null> {
  const connection = await LdapConnection.open(server, settings, signal);
  try {
    return await connection.bind(dn, password);
  } finally {
    await connection.close();
  }
}

/** Returns the DNs of the groups of a user. */
async function groupsOf(
  connection: LdapConnection,
  { base, filter }: LdapGroups,
  { dn, username }: FoundUser,
): Promise<readonly string[]> {
  const { entries } = await connection.search({
    base,
    filter: expandFilter(filter, { dn, username }),
    // No attributes: the DN is enough.
    attributes: ['1.1'],
    pageSize: LDAP_LIMITS.groupsPerPage,
  });
  return entries.map((entry) => entry.dn);
}
