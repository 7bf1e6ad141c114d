import type { BookedAmountsSetting } from '../../../src/core/records/farm.ts';
import { FIFO, SHARERS_OF, type QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import type { FarmSettings } from '../farm/messages.ts';
import type { FarmInput } from './messages.ts';

type Policies = Pick<FarmSettings, 'bookedAmounts' | 'queuePolicy'>;

/** Returns the settings of a farm after the input. `before`: the stored ones; undefined for a new farm. */
export function farmSettingsOf(
  { bookedAmounts: amounts, queuePolicy: policy, ...settings }: FarmInput,
  before: Policies | undefined,
): FarmSettings {
  const bookedAmounts = bookedAmountsAfter(amounts, before?.bookedAmounts);
  const queuePolicy = queuePolicyAfter(policy, before?.queuePolicy);
  return {
    ...settings,
    ...(bookedAmounts !== undefined && { bookedAmounts }),
    ...(queuePolicy !== undefined && { queuePolicy }),
  };
}

function bookedAmountsAfter(
  input: FarmInput['bookedAmounts'],
  stored: BookedAmountsSetting | undefined,
): BookedAmountsSetting | undefined {
  const names = input?.names ?? stored?.names ?? [];
  const byDefault = input?.byDefault ?? stored?.byDefault ?? 'none';
  if (stored === undefined && names.length === 0) return undefined;
  const isSame = stored?.byDefault === byDefault && stored.names.join() === names.join();
  const version = (stored?.version ?? 0) + (isSame ? 0 : 1);
  return { names, byDefault, version };
}

function queuePolicyAfter(
  input: FarmInput['queuePolicy'],
  stored: QueuePolicySetting | undefined,
): QueuePolicySetting | undefined {
  if (input === undefined) return stored;
  const { version, ...present } = stored ?? FIFO;
  const merged = { ...present, ...input };
  const possible = SHARERS_OF[merged.kind];
  const [first = merged.sharedBy] = possible;
  // A policy that cannot share by what the one before did gets its default.
  const next = { ...merged, sharedBy: possible.includes(merged.sharedBy) ? merged.sharedBy : first };
  if (isSamePolicy(next, present)) return stored;
  return { ...next, version: version + 1 };
}

const isSamePolicy = (
  a: Omit<QueuePolicySetting, 'version'>,
  b: Omit<QueuePolicySetting, 'version'>,
): boolean =>
  a.kind === b.kind &&
  a.sharedBy === b.sharedBy &&
  a.halfLifeSeconds === b.halfLifeSeconds &&
  a.priorityFirst === b.priorityFirst &&
  JSON.stringify(a.weights) === JSON.stringify(b.weights);
