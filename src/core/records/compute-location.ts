/**
 * A compute location of the catalog (docs/contract/resources.md#compute-location). Times are milliseconds since the
 * epoch.
 */
export interface ComputeLocationRecord {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Limits of the name of a compute location (docs/contract/rest.md#compute-locations): no whitespace, forward slashes,
 * quotes or control characters. Lengths are in characters (code points).
 */
export const COMPUTE_LOCATION_NAME = {
  pattern: '^[^\\s/"\'`\\u0000-\\u001f\\u007f]+$',
  wrong: 'must not be empty or hold whitespace, slashes, quote or control characters',
  lengthMax: 255,
} as const;

const PATTERN = new RegExp(COMPUTE_LOCATION_NAME.pattern, 'u');

/** Returns why a text is not a valid name of a compute location, or null. */
export function computeLocationNameWrong(name: string): string | null {
  if (!PATTERN.test(name)) return COMPUTE_LOCATION_NAME.wrong;
  const { lengthMax } = COMPUTE_LOCATION_NAME;
  return [...name].length > lengthMax ? `must not have more than ${lengthMax} characters` : null;
}
