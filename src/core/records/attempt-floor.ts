const MINUTE_MS = 60_000;
/** 2026-01-01: minutes since then have fewer digits than the numbers in attempt keys until 2045. */
const FIRST_MS = 1_767_225_600_000;
/** More attempts than a task makes between a backup and its restore. */
const STEP = 1000;

/**
 * The least number of a new attempt after a restore at `now` (milliseconds since the epoch), when the restored store knows attempts up to the
 * number `highest`. An attempt id is a fencing token, so none may be given twice: not those since the backup, nor those since an earlier
 * restore of the same backup.
 */
export const attemptFloorAfterRestore = (highest: number, now: number): number =>
  Math.max(highest + STEP, Math.floor((now - FIRST_MS) / MINUTE_MS));
