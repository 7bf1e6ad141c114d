import type { Preset, UsagePool } from '../../../client/resources.ts';

/** Describes whether a preset is installed: "1.0.0", "update to 1.1.0". */
export function installText({
  installed,
  installed_version: old,
  update_available: isOld,
  version,
}: Preset): string {
  if (!installed) return 'not installed';
  if (isOld) return `update to ${version}`;
  return old === null || old === '' ? 'installed' : old;
}

/** Returns the usage pools that a preset needs and that do not exist. Names of pools are not case-sensitive. */
export function missingPools(
  needed: readonly string[],
  existing: readonly Pick<UsagePool, 'name'>[],
): readonly string[] {
  const known = new Set(existing.map(({ name }) => name.toLowerCase()));
  return needed.filter((name) => !known.has(name.toLowerCase()));
}

const MAX_SLOTS = 2_147_483_647;

/** Returns why a text is not a number of slots; empty if it is one, or if it is blank: the pool is not created. */
export function slotsError(text: string): string {
  if (text.trim() === '') return '';
  const slots = Number(text);
  return Number.isInteger(slots) && slots >= 1 && slots <= MAX_SLOTS
    ? ''
    : `Enter a whole number from 1 to ${MAX_SLOTS.toLocaleString('en')}.`;
}
