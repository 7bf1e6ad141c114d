import { startOidcFarm } from '../../kit/oidc/target.ts';
import type { AttackRow } from '../attack.ts';
import { runOidcAttacks } from './oidc-attacks.ts';

/** Attacks on the sign-in by a provider. */
export const oidcRows: readonly AttackRow[] = [
  {
    id: 'T15',
    title: 'bad logins by a provider',
    full: 162,
    run: async (count) => {
      const farm = await startOidcFarm();
      try {
        return await runOidcAttacks(farm, count);
      } finally {
        await farm.close(false);
      }
    },
  },
];
