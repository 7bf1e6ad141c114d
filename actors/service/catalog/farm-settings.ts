import type { BookedAmountsSetting, QuarantineSetting } from '../../../src/core/records/farm.ts';
import type { FarmSettings } from '../farm/messages.ts';
import type { FarmInput } from './messages.ts';

type Stored = Pick<FarmSettings, 'bookedAmounts' | 'quarantine'>;

/** Returns the settings of a farm after the input. `before`: the stored ones; undefined for a new farm. */
export function farmSettingsOf(
  { bookedAmounts, quarantine, ...settings }: FarmInput,
  before: Stored | undefined,
): FarmSettings {
  const amounts = amountsOf(bookedAmounts, before?.bookedAmounts);
  const quarantines = quarantineOf(quarantine, before?.quarantine);
  return {
    ...settings,
    ...(amounts !== null && { bookedAmounts: amounts }),
    ...(quarantines !== null && { quarantine: quarantines }),
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
