import { accessRows } from './access/access-rows.ts';
import { accountRows } from './accounts/account-rows.ts';
import type { AttackRow } from './attack.ts';
import { browserRows } from './browser/browser-rows.ts';
import { busRows } from './bus/bus-rows.ts';
import { ldapRows } from './ldap/ldap-rows.ts';
import { markdownRows } from './markdown/markdown-rows.ts';
import { pathRows } from './paths/path-rows.ts';
import { byNumber } from './saved-rows.ts';
import { oidcRows } from './oidc/oidc-rows.ts';

/** All rows, in the order of their ids. */
export const ATTACK_ROWS: readonly AttackRow[] = [
  ...accessRows,
  ...accountRows,
  ...browserRows,
  ...busRows,
  ...ldapRows,
  ...markdownRows,
  ...oidcRows,
  ...pathRows,
].sort(byNumber);
