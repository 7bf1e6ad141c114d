import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../kit/until.ts';
import { FAULT_NAMES, FAULTS, type ClusterFault, type FaultName } from './cluster-faults.ts';
import type { Machine } from './machine.ts';
import type { Rig } from './rig.ts';

/** The next acknowledgement must arrive within this time after the end of a fault. */
const RECOVERY_MS = 120_000;

/** One injected fault and its effect on clients. */
export interface Trial {
  readonly fault: FaultName;
  readonly victims: readonly string[];
  readonly holdMs: number;
  /** Time from its begin to the first acknowledgement of a write that was sent after it, through any node. */
  readonly failoverMs: number;
  /** Time from its end until all nodes had the last write. */
  readonly settleMs: number;
  readonly takeovers: number;
}

/**
 * Injects one fault, ends it after `holdMsMax` at the latest, and waits until the cluster is whole again. Throws if it does not
 * recover.
 */
export async function runTrial(rig: Rig, name: FaultName, holdMsMax: number): Promise<Trial> {
  const fault: ClusterFault = FAULTS[name];
  await fault.prepare?.(rig);
  const takeovers = rig.takeovers;
  const holdMs = Math.min(holdMsMax, randomInt(...fault.holdMs));
  const victims = await fault.choose(rig);
  const start = performance.now();
  await Promise.all(victims.map(async (victim) => fault.begin(victim, rig)));
  const injected = performance.now();
  await delay(holdMs);
  await Promise.all(victims.map(async (victim) => fault.end(victim, rig)));
  const ended = performance.now();
  const firstAck = await until(
    `a write is acknowledged after ${name}`,
    () => rig.firstAckSince(injected),
    RECOVERY_MS,
  );
  await rig.settle();
  return {
    fault: name,
    victims: victims.map(({ name: victim }) => victim),
    holdMs,
    failoverMs: Math.round(firstAck - start),
    settleMs: Math.round(performance.now() - ended),
    takeovers: rig.takeovers - takeovers,
  };
}

/** Longest time between the begins of two faults that last at the same time. */
const STAGGER_MS = 3000;

/**
 * Injects random faults for a time, up to two on different machines at once, and lets the cluster recover after each round.
 * Returns how often each fault was injected. Throws if the cluster does not recover.
 */
export async function runNemesis(
  rig: Rig,
  durationMs: number,
  report: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const deadline = performance.now() + durationMs;
  while (performance.now() < deadline) {
    const busy = new Set<Machine>();
    const rounds = Array.from({ length: 1 + randomInt(2) }, async (_, index) => {
      await delay(index * randomInt(STAGGER_MS));
      const name = FAULT_NAMES[randomInt(FAULT_NAMES.length)] ?? 'owner-killed';
      const text = await injectUnlessBusy(rig, FAULTS[name], busy);
      if (text === null) return [];
      counts[name] = (counts[name] ?? 0) + 1;
      return [`${name} ${text}`];
    });
    const texts = (await Promise.all(rounds)).flat();
    const ended = performance.now();
    await rig.settle();
    report(`${texts.join(', ')}: whole again after ${Math.round(performance.now() - ended)} ms`);
  }
  return counts;
}

/** Injects a fault and ends it. Returns null, without a fault, if one of its machines has another fault. */
async function injectUnlessBusy(rig: Rig, fault: ClusterFault, busy: Set<Machine>): Promise<string | null> {
  // While a fault lasts, there may be no owner to choose.
  const victims = await fault.choose(rig).catch(() => null);
  if (victims === null || victims.some((victim) => busy.has(victim))) return null;
  for (const victim of victims) busy.add(victim);
  const holdMs = randomInt(...fault.holdMs);
  await Promise.all(victims.map(async (victim) => fault.begin(victim, rig)));
  await delay(holdMs);
  await Promise.all(victims.map(async (victim) => fault.end(victim, rig)));
  return `of ${victims.map(({ name }) => name).join(', ')} for ${holdMs} ms`;
}
