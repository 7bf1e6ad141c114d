const MINUTE_MS = 60_000;
/** 2026-01-01: minutes since then have fewer digits than the numbers in attempt keys until 2045. */
const FIRST_MS = 1_767_225_600_000;
/** Upper bound of the attempts of a task between a backup and its restore. */
const STEP = 1000;

/**
 * Returns the first number of new attempts after a restore at `now` (milliseconds since the epoch), if the restored
 * store has attempts up to `highest`. An attempt id is a fencing token, so no id may be used twice: neither those since
 * the backup, nor those since an earlier restore of the same backup.
 */
export const attemptFloorAfterRestore = (highest: number, now: number): number =>
  Math.max(highest + STEP, Math.floor((now - FIRST_MS) / MINUTE_MS));
