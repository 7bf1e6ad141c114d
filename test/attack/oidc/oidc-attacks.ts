import { runAttacks, spread, type Attack } from '../attack-table.ts';
import type { AttackReport } from '../attack.ts';
import { CALLBACK_ATTACKS } from './callback-attacks.ts';
import type { OidcTarget } from './context.ts';
import { DISCOVERY_ATTACKS } from './discovery-attacks.ts';
import { REDIRECT_ATTACKS } from './redirect-attacks.ts';
import { TOKEN_ATTACKS } from './token-attacks.ts';

/** The table of T15 (docs/threats.md): bad logins by a provider. */
const OIDC_ATTACKS: readonly Attack<OidcTarget>[] = [
  ...CALLBACK_ATTACKS,
  ...TOKEN_ATTACKS,
  ...REDIRECT_ATTACKS,
  ...DISCOVERY_ATTACKS,
];

/** Runs `count` attacks on a service, or all of the table if there are fewer. */
export const runOidcAttacks = (target: OidcTarget, count: number): Promise<AttackReport> =>
  runAttacks(spread(OIDC_ATTACKS, count), target);
