import type { AttackReport, AttackRow } from '../attack.ts';
import { startAccessStage, type AccessStage } from './access-stage.ts';
import { runAttack, type AttackTable } from './attack-table.ts';
import { authorization } from './authorization.ts';
import { foreignObjects } from './foreign-objects.ts';
import { massAssignment } from './mass-assignment.ts';

const rowOf = (id: string, full: number, table: AttackTable<AccessStage>): AttackRow => ({
  id,
  title: table.name,
  full,
  run: async (count): Promise<AttackReport> => {
    const stage = await startAccessStage();
    try {
      return await runAttack(table, stage, count);
    } finally {
      await stage.stop(true);
    }
  },
});

/** Attacks on permissions and on what belongs to others. */
export const accessRows: readonly AttackRow[] = [
  rowOf('T1', 1_400, authorization),
  rowOf('T2', 900, foreignObjects),
  rowOf('T3', 430, massAssignment),
];
