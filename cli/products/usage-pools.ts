import type { ClientContext } from '../client/client-command.ts';
import type { RestClient } from '../client/rest-client.ts';
import { printable } from '../terminal/terminal.ts';

/** Returns those of the usage pools that do not exist: tasks that need them never start. */
export async function missingPools(
  client: RestClient,
  needed: readonly string[],
): Promise<readonly string[]> {
  if (needed.length === 0) return [];
  const pools = await client.call('get', '/usage-pools');
  const known = new Set(pools.map(({ name }) => name.toLowerCase()));
  return [...new Set(needed)].filter((name) => !known.has(name.toLowerCase()));
}

/**
 * Creates missing usage pools: with `slots` each, else with the number that the user enters for each. Without an answer,
 * names the command that creates the pool.
 */
export async function createPools(
  { client, terminal }: ClientContext,
  missing: readonly string[],
  slots: number | undefined,
): Promise<void> {
  for (const name of missing) {
    const wanted = slots ?? (await askForSlots(terminal.ask, name));
    if (wanted === null)
      terminal.err(
        `usage pool ${printable(name)} does not exist: tasks that need it wait until it does (callsheet pools create ${printable(name)} SLOTS)\n`,
      );
    else {
      const pool = await client.call('post', '/usage-pools', {
        body: { name, max_concurrent: wanted, server_hint: '' },
      });
      terminal.err(`usage pool ${printable(pool.name)} created with ${pool.max_concurrent} slots\n`);
    }
  }
}

/** Returns the number that the user enters; null if the answer is empty or no user can answer. */
async function askForSlots(
  ask: ((question: string) => Promise<string>) | null,
  name: string,
): Promise<number | null> {
  if (ask === null) return null;
  const pool = printable(name);
  const question = `Usage pool ${pool} does not exist. Number of slots to create it with (empty: do not create it): `;
  for (;;) {
    const answer = (await ask(question)).trim();
    if (answer === '') return null;
    if (/^[1-9][0-9]{0,8}$/.test(answer)) return Number(answer);
  }
}
