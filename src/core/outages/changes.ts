import { isSamePlace, type Outage, type OutagesRecord } from './outage.ts';

/** Why an outage has ended. `task passed`: the task that was tried has succeeded, or has run long enough. */
export type OutageEndReason =
  | 'task passed'
  | 'ended by a user'
  | 'turned off'
  | 'clock set back'
  | 'farm deleted';

/** The start of a hold, or the end of an outage. */
export type OutageChange =
  /** `isNew`: false for another hold in a row, after the task that was tried has failed. */
  | { readonly status: 'held'; readonly outage: Outage; readonly isNew: boolean }
  | { readonly status: 'ended'; readonly outage: Outage; readonly reason: OutageEndReason };

/**
 * Returns the holds that have started and the outages that have ended between two records of a farm: ends first. An
 * outage that is replaced by another one of the same place has not ended: the place stays held.
 *
 * @param cause - Why outages end by this change, unless the clock was set back to before their start.
 */
export function outageChanges(
  before: OutagesRecord,
  next: OutagesRecord,
  cause: OutageEndReason,
  now: number,
): readonly OutageChange[] {
  const [old, present] = [lasting(before), lasting(next)];
  const ends = old
    .filter((outage) => !present.some((each) => isSamePlace(each, outage)))
    .map((outage): OutageChange => {
      const reason = outage.since > now ? 'clock set back' : cause;
      return { status: 'ended', outage, reason };
    });
  const holds = present.flatMap((outage): readonly OutageChange[] => {
    const known = old.find((each) => isSamePlace(each, outage));
    if (known?.times === outage.times) return [];
    return [{ status: 'held', outage, isNew: known === undefined }];
  });
  return [...ends, ...holds];
}

const lasting = ({ outages }: OutagesRecord): readonly Outage[] =>
  outages.filter(({ endedAt }) => endedAt === undefined);
