import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the process of the managed nats-server of the service whose data is in `folder`, or null if there is none. */
export function busPid({ folder }: { readonly folder: string }): number | null {
  const config = join(folder, 'data', 'bus', 'nats-server.conf');
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (args[1] === '-c' && args[2]?.endsWith(config) === true) return Number(name);
    } catch {
      // It has exited meanwhile.
    }
  }
  return null;
}
