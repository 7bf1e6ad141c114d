import { execFileSync } from 'node:child_process';
import { firewallSupport } from '../../src/adapters/firewall/firewall-support.ts';

const SYSTEM = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

const part = await firewallSupport(false);

/** Why this machine cannot set rules of the firewall, for the option `skip` of tests; false if it can. */
export const skipWithoutNft: string | false = part.isSupported ? false : part.detail;

/** Executes commands of nft. Returns its output; throws with what it printed. */
export const nft = (commands: string): string =>
  execFileSync('nft', ['-f', '-'], { input: commands, encoding: 'utf8', env: SYSTEM, stdio: 'pipe' });

/** Returns the text of a table of the family `inet`, or null if it does not exist. */
export function tableText(table: string): string | null {
  const exists = execFileSync('nft', ['list', 'tables', 'inet'], { encoding: 'utf8', env: SYSTEM })
    .split('\n')
    .includes(`table inet ${table}`);
  return exists
    ? execFileSync('nft', ['list', 'table', 'inet', table], { encoding: 'utf8', env: SYSTEM })
    : null;
}
