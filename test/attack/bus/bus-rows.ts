import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startService } from '../../kit/daemons.ts';
import type { AttackResult, AttackRow } from '../attack.ts';
import { attackAsWorker } from './hostile-worker.ts';

/** Hostile clients of the bus. */
export const busRows: readonly AttackRow[] = [
  {
    id: 'T31',
    title: 'hostile messages with the valid credential of a worker',
    full: 30_000,
    run: attack,
  },
];

async function attack(count: number): Promise<AttackResult> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-attack-'));
  try {
    const service = await startService({
      folder,
      httpPort: await freePort(),
      busPort: await freePort(),
      flags: ['--bus-auth-enabled=true'],
    });
    try {
      return await attackAsWorker(service, count);
    } finally {
      await service.daemon.kill('SIGTERM');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
