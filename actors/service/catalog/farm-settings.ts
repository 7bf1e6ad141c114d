import type { BookedAmountsSetting, QuarantineSetting } from '../../../src/core/records/farm.ts';
import { changedNamedCaps, namedCapsOf } from '../../../src/core/records/named-caps.ts';
import { FIFO, SHARERS_OF, type QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import { OUTAGE_DEFAULTS, type OutageSetting } from '../../../src/core/outages/outage.ts';
import type { FarmSettings } from '../farm/messages.ts';
import type { FarmInput } from './messages.ts';

type Stored = Pick<
  FarmSettings,
  'bookedAmounts' | 'quarantine' | 'queuePolicy' | 'outages' | 'ownerCaps' | 'projectCaps'
>;

/** Returns the settings of a farm after the input. `before`: the stored ones; undefined for a new farm. */
export function farmSettingsOf(
  { bookedAmounts, quarantine, queuePolicy, outages, ownerCaps, projectCaps, ...settings }: FarmInput,
  before: Stored | undefined,
): FarmSettings {
  const amounts = amountsOf(bookedAmounts, before?.bookedAmounts);
  const quarantines = quarantineOf(quarantine, before?.quarantine);
  const policy = queuePolicyOf(queuePolicy, before?.queuePolicy);
  const outage = outagesOf(outages, before?.outages);
  return {
    ...settings,
    ...changedNamedCaps(namedCapsOf({ ownerCaps, projectCaps }), before ?? null),
    ...(amounts !== null && { bookedAmounts: amounts }),
    ...(quarantines !== null && { quarantine: quarantines }),
    ...(policy !== null && { queuePolicy: policy }),
    ...(outage !== null && { outages: outage }),
  };
}

function amountsOf(
  input: FarmInput['bookedAmounts'],
  stored: BookedAmountsSetting | undefined,
): BookedAmountsSetting | null {
  const names = input?.names ?? stored?.names ?? [];
  const byDefault = input?.byDefault ?? stored?.byDefault ?? 'none';
  if (stored === undefined && names.length === 0) return null;
  const isSame = stored?.byDefault === byDefault && stored.names.join() === names.join();
  const version = (stored?.version ?? 0) + (isSame ? 0 : 1);
  return { names, byDefault, version };
}

function quarantineOf(
  isOn: boolean | undefined,
  stored: QuarantineSetting | undefined,
): QuarantineSetting | null {
  if (stored === undefined) return isOn === true ? { isOn, version: 1 } : null;
  if (isOn === undefined || isOn === stored.isOn) return stored;
  return { isOn, version: stored.version + 1 };
}

function outagesOf(input: FarmInput['outages'], stored: OutageSetting | undefined): OutageSetting | null {
  if (input === undefined) return stored ?? null;
  const { version, ...present } = stored ?? { ...OUTAGE_DEFAULTS, isOn: false, version: 0 };
  const next = { ...present, ...input };
  if (JSON.stringify(next) === JSON.stringify(present)) return stored ?? null;
  return { ...next, version: version + 1 };
}

function queuePolicyOf(
  input: FarmInput['queuePolicy'],
  stored: QueuePolicySetting | undefined,
): QueuePolicySetting | null {
  if (input === undefined) return stored ?? null;
  const { version, ...present } = stored ?? FIFO;
  const merged = { ...present, ...input };
  const possible = SHARERS_OF[merged.kind];
  const [first = merged.sharedBy] = possible;
  // A policy that cannot share by what the one before did gets its default.
  const next = { ...merged, sharedBy: possible.includes(merged.sharedBy) ? merged.sharedBy : first };
  if (isSamePolicy(next, present)) return stored ?? null;
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
