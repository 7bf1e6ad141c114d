import { execFile } from 'node:child_process';
import {
  accountRefusal,
  groupNameRefusal,
  groupRefusal,
  processIdsOf,
  userNameRefusal,
  type Account,
  type Group,
  type ProcessIds,
} from '../../core/access/isolation-names.ts';
import type { RunAs } from '../../core/ports/task-processes.ts';

const COMMAND_ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
/** Timeout of a lookup: a directory service may not answer. */
const LOOKUP_MS = 20_000;
/** `getent`: there is no such entry. */
const NOT_FOUND = 2;
const NOT_FOUND_BY_ID = 1;

/** An account of this machine that a task may run as. */
export interface TaskAccount {
  readonly user: string;
  readonly ids: ProcessIds;
  readonly home: string;
  readonly shell: string;
}

export type AccountLookup =
  | { readonly ok: true; readonly account: TaskAccount }
  /** `refusal` is a text for the owner of the task. */
  | { readonly ok: false; readonly refusal: string };

/**
 * Looks up the account and group of a queue with the system's own means (files, LDAP, SSSD), without a cache. Refuses
 * accounts that are privileged by name or id (docs/contract/isolation.md).
 */
export async function lookUpAccount({ user, group }: RunAs): Promise<AccountLookup> {
  const nameRefusal = userNameRefusal(user) ?? (group === null ? null : groupNameRefusal(group));
  if (nameRefusal !== null) return refused(nameRefusal);
  try {
    const account = await accountNamed(user);
    if (account === null) return refused(`this machine has no account ${JSON.stringify(user)}`);
    const found = group === null ? null : await groupNamed(group);
    if (group !== null && found === null)
      return refused(`this machine has no group ${JSON.stringify(group)}`);
    const refusal = accountRefusal(account) ?? (found === null ? null : groupRefusal(found));
    if (refusal !== null) return refused(refusal);
    const { home, shell } = account;
    return { ok: true, account: { user: account.user, ids: processIdsOf(account, found), home, shell } };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return refused(`the account ${JSON.stringify(user)} could not be looked up: ${reason}`);
  }
}

const refused = (refusal: string): AccountLookup => ({ ok: false, refusal });

async function accountNamed(name: string): Promise<Account | null> {
  const line = await output('getent', ['passwd', name], NOT_FOUND);
  if (line === null) return null;
  const [user = '', , userId, groupId, , home = '', shell = ''] = firstLine(line).split(':');
  const groups = await output('id', ['-G', '--', user], NOT_FOUND_BY_ID);
  if (groups === null) throw new Error('its groups are unknown');
  return {
    user,
    userId: idOf(userId),
    groupId: idOf(groupId),
    groupIds: groups.trim().split(/\s+/).map(idOf),
    home: home === '' ? '/' : home,
    shell: shell === '' ? '/bin/sh' : shell,
  };
}

async function groupNamed(name: string): Promise<Group | null> {
  const line = await output('getent', ['group', name], NOT_FOUND);
  if (line === null) return null;
  const [found = '', , groupId] = firstLine(line).split(':');
  return { name: found, groupId: idOf(groupId) };
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

function idOf(text: string | undefined): number {
  if (text === undefined || !/^[0-9]{1,10}$/.test(text)) throw new Error(`invalid id: ${text ?? ''}`);
  return Number(text);
}

/** Returns the output of the command, or null if it exited with `absent`. */
function output(command: string, args: readonly string[], absent: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      [...args],
      { env: COMMAND_ENVIRONMENT, timeout: LOOKUP_MS, encoding: 'utf8' },
      (error, stdout) => {
        if (error === null) resolve(stdout);
        else if (error.code === absent) resolve(null);
        else reject(new Error(`${command} failed: ${error.message}`, { cause: error }));
      },
    );
  });
}
