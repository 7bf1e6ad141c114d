import type { FarmSettings } from '../farm/messages.ts';
import type { FarmInput } from './messages.ts';

/** Returns the settings of a farm after the input. `before`: the stored ones; undefined for a new farm. */
export function farmSettingsOf(
  { bookedAmounts: input, ...settings }: FarmInput,
  before: Pick<FarmSettings, 'bookedAmounts'> | undefined,
): FarmSettings {
  const stored = before?.bookedAmounts;
  const names = input?.names ?? stored?.names ?? [];
  const byDefault = input?.byDefault ?? stored?.byDefault ?? 'none';
  if (stored === undefined && names.length === 0) return settings;
  const isSame = stored?.byDefault === byDefault && stored.names.join() === names.join();
  const version = (stored?.version ?? 0) + (isSame ? 0 : 1);
  return { ...settings, bookedAmounts: { names, byDefault, version } };
}
