import { escapeMatches } from '../escaped-text.ts';

/**
 * Accounts and groups that no task may run as (docs/contract/isolation.md). The lists are not configurable. Each
 * refusal is a text for the owner of the task.
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
/** Not an account or group: the kernel reads it as "leave the id as it is", which would be root's. */
const NO_ID = 0xffff_ffff;

/**
 * A name, with or without a domain before or after it. Letters of other scripts that only look like these do not match.
 */
const PLAIN_NAME =
  /^([A-Za-z0-9][A-Za-z0-9._-]*\\)?[A-Za-z0-9_][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*(@[A-Za-z0-9][A-Za-z0-9._-]*)?$/;
const NAME_CHARACTERS_MAX = 256;

/** An account of this machine, with the fields that decide if a task may run as it. */
export interface Account {
  readonly user: string;
  readonly userId: number;
  /** Id of the primary group. */
  readonly groupId: number;
  /** Ids of all groups of the account, with or without the primary one. */
  readonly groupIds: readonly number[];
  readonly home: string;
  readonly shell: string;
}

/** A group of this machine. */
export interface Group {
  readonly name: string;
  readonly groupId: number;
}

/** Ids that the processes of a task get. */
export interface ProcessIds {
  readonly userId: number;
  readonly groupId: number;
  /** Supplementary groups, ascending. */
  readonly groupIds: readonly number[];
}

/** Returns why no task may run as an account of this name, or null. */
export const userNameRefusal = (name: string): string | null =>
  nameRefusal('account', name, PRIVILEGED_USERS);

/** Returns why no task may run with a group of this name, or null. */
export const groupNameRefusal = (name: string): string | null =>
  nameRefusal('group', name, PRIVILEGED_GROUPS);

/** Returns why no task may run as this account, or null. Its own name may differ from the name that it was found by. */
export function accountRefusal(account: Account): string | null {
  const refusal = userNameRefusal(account.user);
  if (refusal !== null) return refusal;
  if (account.userId === ROOT_ID) return `the account ${shown(account.user)} has the user id 0`;
  if (account.groupId === ROOT_ID)
    return `the primary group of the account ${shown(account.user)} has the id 0`;
  return account.userId >= NO_ID || account.groupId >= NO_ID
    ? `the account ${shown(account.user)} has an invalid id`
    : null;
}

/** Returns why no task may run with this group, or null. */
export function groupRefusal(group: Group): string | null {
  const refusal = groupNameRefusal(group.name);
  if (refusal !== null) return refusal;
  if (group.groupId === ROOT_ID) return `the group ${shown(group.name)} has the id 0`;
  return group.groupId >= NO_ID ? `the group ${shown(group.name)} has an invalid id` : null;
}

/**
 * Returns the ids for processes of an account: the group of the queue replaces the primary one, and group 0 is removed.
 */
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
    return `${shown(name)} is not a valid ${kind} name`;
  }
  return null;
}

/** Returns the name in lower case, without a domain or host before or after it and without surrounding blanks. */
function bareName(name: string): string {
  const folded = name.normalize('NFKC').trim();
  const unqualified = folded.slice(Math.max(folded.lastIndexOf('\\'), folded.lastIndexOf('/')) + 1);
  const at = unqualified.indexOf('@');
  const user = at === -1 ? unqualified : unqualified.slice(0, at);
  return user.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** A name of digits alone would be read as an id. */
const hasLetter = (name: string): boolean => /[a-z_]/.test(name);

const SHOWN_CHARACTERS_MAX = 64;

/** Returns the name in quotes, with characters escaped that are not printable or only look like plain letters. */
const shown = (name: string): string =>
  escapeMatches(JSON.stringify(name.slice(0, SHOWN_CHARACTERS_MAX)), /[^\x20-\x7e]/g);
