/**
 * Which accounts and groups no task runs as (docs/contract/isolation.md). The lists are not configurable. Each refusal
 * is in words for the one whose task it is.
 */

const PRIVILEGED_USERS: ReadonlySet<string> = new Set([
  'root',
  'administrator',
  'administrators',
  'system',
  'localsystem',
  'network service',
  'networkservice',
  'local service',
  'localservice',
]);

const PRIVILEGED_GROUPS: ReadonlySet<string> = new Set([
  'root',
  'wheel',
  'admin',
  'sudo',
  'sudoers',
  'adm',
  'docker',
  'disk',
  'shadow',
  'staff',
  'administrators',
]);

const ROOT_ID = 0;
/** Names no account or group: the kernel takes it for "leave the id as it is", and that is root's. */
const NO_ID = 0xffff_ffff;

/** A name, with or without a domain before or after it. Letters that only look like these are none. */
const PLAIN_NAME =
  /^([A-Za-z0-9][A-Za-z0-9._-]*\\)?[A-Za-z0-9_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*(@[A-Za-z0-9][A-Za-z0-9._-]*)?$/;
const NAME_CHARACTERS_MAX = 256;

/** An account of this machine, as far as a task may run as it. */
export interface Account {
  readonly user: string;
  readonly userId: number;
  /** Of the primary group. */
  readonly groupId: number;
  /** Of all groups of the account, the primary one or not. */
  readonly groupIds: readonly number[];
  readonly home: string;
  readonly shell: string;
}

/** A group of this machine. */
export interface Group {
  readonly name: string;
  readonly groupId: number;
}

/** Ids that a task's processes get. */
export interface ProcessIds {
  readonly userId: number;
  readonly groupId: number;
  /** Supplementary groups, rising. */
  readonly groupIds: readonly number[];
}

/** Why no task runs as an account of this name, or null. */
export const userNameRefusal = (name: string): string | null =>
  nameRefusal('account', name, PRIVILEGED_USERS);

/** Why no task runs with a group of this name, or null. */
export const groupNameRefusal = (name: string): string | null =>
  nameRefusal('group', name, PRIVILEGED_GROUPS);

/** Why no task runs as this account, or null. Its own name may be another than the one that it was found by. */
export function accountRefusal(account: Account): string | null {
  const refusal = userNameRefusal(account.user);
  if (refusal !== null) return refusal;
  if (account.userId === ROOT_ID) return `the account ${shown(account.user)} has the user id 0`;
  if (account.groupId === ROOT_ID)
    return `the primary group of the account ${shown(account.user)} has the id 0`;
  return account.userId >= NO_ID || account.groupId >= NO_ID
    ? `the account ${shown(account.user)} has an id that is none`
    : null;
}

/** Why no task runs with this group, or null. */
export function groupRefusal(group: Group): string | null {
  const refusal = groupNameRefusal(group.name);
  if (refusal !== null) return refusal;
  if (group.groupId === ROOT_ID) return `the group ${shown(group.name)} has the id 0`;
  return group.groupId >= NO_ID ? `the group ${shown(group.name)} has an id that is none` : null;
}

/** What processes of an account get: the group of the queue in place of the primary one, and never the group 0. */
export function processIdsOf(account: Account, group: Group | null): ProcessIds {
  const supplementary = new Set(account.groupIds);
  supplementary.delete(ROOT_ID);
  supplementary.delete(account.groupId);
  const groupId = group?.groupId ?? account.groupId;
  supplementary.delete(groupId);
  return { userId: account.userId, groupId, groupIds: [...supplementary].sort((a, b) => a - b) };
}

function nameRefusal(
  kind: 'account' | 'group',
  name: string,
  privileged: ReadonlySet<string>,
): string | null {
  if (privileged.has(bareName(name))) return `the ${kind} ${shown(name)} is privileged: no task runs with it`;
  if (name.length > NAME_CHARACTERS_MAX || !PLAIN_NAME.test(name) || !hasLetter(bareName(name))) {
    return `${shown(name)} is no plain ${kind} name`;
  }
  return null;
}

/** Without a domain or host before or after it, without blanks around it, in lower case. */
function bareName(name: string): string {
  const folded = name.normalize('NFKC').trim();
  const unqualified = folded.slice(Math.max(folded.lastIndexOf('\\'), folded.lastIndexOf('/')) + 1);
  const at = unqualified.indexOf('@');
  const user = at === -1 ? unqualified : unqualified.slice(0, at);
  return user.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** A name of digits alone would be taken for an id. */
const hasLetter = (name: string): boolean => /[a-z_]/.test(name);

const SHOWN_CHARACTERS_MAX = 64;

/** Quoted, with what cannot be printed or only looks plain written out. */
const shown = (name: string): string =>
  JSON.stringify(name.slice(0, SHOWN_CHARACTERS_MAX)).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
