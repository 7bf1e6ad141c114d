import type { AttackReport } from '../attack.ts';
import { runAttacks } from './attack-directory.ts';
import { withConfusionWorld } from './confusion-world.ts';
import { identityCases } from './identity-cases.ts';
import { serverCases } from './server-cases.ts';

/** Runs `count` attacks by which a user could get the account, the role or the password of another one (T14). */
export const run = (count: number): Promise<AttackReport> =>
  withConfusionWorld((world) => runAttacks([...identityCases(world), ...serverCases(world)], count));
