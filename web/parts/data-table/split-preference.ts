/** Split view of a table as a user has left it. */
export interface SplitPreference {
  /** True if a click on a row shows it in the pane next to the rows. */
  readonly isOn: boolean;
  /** Width of the pane, in percent of the table. */
  readonly share: number;
}

/** Limits of the share; both sides stay usable. */
export const SHARE = { min: 25, max: 75, step: 5 };

export const DEFAULT_SPLIT: SplitPreference = { isOn: false, share: 55 };

/** Parses a stored preference; null if the value is invalid. */
export function readSplitPreference(kept: unknown): SplitPreference | null {
  if (typeof kept !== 'object' || kept === null || !('isOn' in kept) || !('share' in kept)) return null;
  const { isOn, share } = kept;
  if (typeof isOn !== 'boolean' || typeof share !== 'number' || !Number.isFinite(share)) return null;
  return { isOn, share: withinLimits(share) };
}

/** Returns the share of a pane that begins at `x`. `left` and `width` are those of the table; all are in pixels. */
export const shareFrom = (x: number, { left, width }: { left: number; width: number }): number =>
  width <= 0 ? DEFAULT_SPLIT.share : withinLimits((100 * (left + width - x)) / width);

/** Returns the share after a key on the separator; null if the key does not resize. The pane is at the right. */
export function shareAfterKey(share: number, key: string): number | null {
  switch (key) {
    case 'ArrowLeft':
      return withinLimits(share + SHARE.step);
    case 'ArrowRight':
      return withinLimits(share - SHARE.step);
    case 'Home':
      return SHARE.min;
    case 'End':
      return SHARE.max;
    default:
      return null;
  }
}

const withinLimits = (share: number): number => Math.round(Math.min(SHARE.max, Math.max(SHARE.min, share)));
