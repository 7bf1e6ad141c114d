import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';

/** One attack on the bus, on a fixture that the cases of a bus share. The table is in docs/threats.md#attacks-on-the-bus. */
export interface BusAttack<Fixture> {
  readonly id: string;
  readonly attacker: string;
  readonly action: string;
  /** Effect of the attack: none, or that which an open bus leaves possible. */
  readonly outcome: string;
  /** How the test knows the outcome. */
  readonly proof: string;
  readonly run: (t: Test, fixture: Fixture) => Promise<void>;
}

/** Runs attacks one after another, each as a subtest. */
export async function runBusAttacks<Fixture>(
  t: Test,
  fixture: Fixture,
  attacks: readonly BusAttack<Fixture>[],
): Promise<void> {
  for (const { id, attacker, action, run } of attacks)
    await t.test(`${id} ${attacker}: ${action}`, (t) => run(t, fixture));
}

/** A row of the table in the documentation. */
export type DocumentedAttack = Omit<BusAttack<never>, 'run'>;

const ROW = /^\| (B\d\d) +\| (.*?) +\| (.*?) +\| (.*?) +\| (.*?) +\|$/gm;

/** Returns the rows of docs/threats.md#attacks-on-the-bus. */
export function documentedAttacks(): readonly DocumentedAttack[] {
  const page = readFileSync(new URL('docs/threats.md', packageRoot), 'utf8');
  return [...page.matchAll(ROW)].map(([, id = '', attacker = '', action = '', outcome = '', proof = '']) => ({
    id,
    attacker,
    action,
    outcome,
    proof,
  }));
}
