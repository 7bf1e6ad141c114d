import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAuthService, type AuthService } from '../kit/auth-service.ts';
import type { ServiceOptions } from '../kit/daemons.ts';

/** Starts a service with authentication in a folder of its own, calls `use`, and stops it. */
export async function withAuthService<Result>(
  use: (site: AuthService, folder: string) => Promise<Result>,
  options: Partial<Omit<ServiceOptions, 'folder'>> = {},
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-attack-'));
  try {
    const site = await startAuthService(folder, options);
    try {
      return await use(site, folder);
    } finally {
      await site.service.daemon.kill('SIGTERM');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
