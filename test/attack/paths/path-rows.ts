import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startService } from '../../kit/daemons.ts';
import type { AttackReport, AttackRow } from '../attack.ts';
import { runProductPaths, SECRET } from './product-paths.ts';

/** Names that lead out of their folder. */
export const pathRows: readonly AttackRow[] = [
  {
    id: 'T19',
    title: 'path traversal in names of products, presets and embedded files',
    full: 3_000,
    run: attack,
  },
];

/** The folder has a secret file, which a name that is used as a path would find. */
async function attack(count: number): Promise<AttackReport> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-attack-'));
  try {
    writeFileSync(join(folder, 'secret.yaml'), SECRET);
    const service = await startService({
      folder,
      httpPort: await freePort(),
      busPort: await freePort(),
      flags: ['--http-rate-limit-enabled=false'],
    });
    try {
      const before = readdirSync(folder);
      const report = await runProductPaths(service.httpPort, count);
      const added = readdirSync(folder).filter((name) => !before.includes(name));
      return {
        tried: report.tried,
        violations: [...report.violations, ...added.map((name) => `the attack has made ${name}`)],
      };
    } finally {
      await service.daemon.kill('SIGTERM');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
