import type { QueuePolicySetting } from '../records/queue-policy.ts';

/** Use of a farm by the tasks of one sharer. */
export interface ShareUse {
  /** Cores in use by its tasks now. */
  cores: number;
  /** Core milliseconds for which these cores count in advance. A whole number. */
  aheadMs: number;
  /** Core seconds until `at`, of which a half counts after each half-life. Only for `weighted`. */
  usage: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Cores in use count for this time in advance, so that the order changes with each assigned task. */
const ADVANCE_MS = 60_000;
/** Tasks of a step that run for less on average are brief: their cores count for the average in advance. */
const BRIEF_MS = 1000;

const MS_PER_SECOND = 1000;

/**
 * Returns the time for which a core in use counts in advance, in milliseconds. `meanMs`: average run time of the
 * successful tasks of its step, or null if there are none.
 */
export const advanceMsOf = (meanMs: number | null): number =>
  meanMs === null || meanMs >= BRIEF_MS ? ADVANCE_MS : Math.max(1, Math.round(meanMs));

/** Returns the half-life of usage in milliseconds. */
export const halfLifeMs = ({ halfLifeSeconds }: Pick<QueuePolicySetting, 'halfLifeSeconds'>): number =>
  halfLifeSeconds * MS_PER_SECOND;

/** Returns the core seconds at `now`, with those of the cores that were in use since `at`. */
export function usageAt({ cores, usage, at }: ShareUse, halfLife: number, now: number): number {
  if (now <= at) return usage;
  const halves = (now - at) / halfLife;
  const ofCores = cores === 0 ? 0 : (-Math.expm1(-Math.LN2 * halves) * cores * halfLife) / MS_PER_SECOND;
  return usage * 2 ** -halves + ofCores / Math.LN2;
}

/**
 * Returns the level of a sharer among all with the same half-life; lower ones have used less. It is the logarithm of
 * usage by weight, as it would be at the epoch if it had only decayed since: all usages decay by the same factor, so
 * that the order between two sharers changes only when the use of one of them is counted again.
 */
export const shareLevel = ({ aheadMs, usage, at }: ShareUse, weight: number, halfLife: number): number =>
  Math.log2((usage + aheadMs / MS_PER_SECOND) / weight) + at / halfLife;

/** Returns usage by weight at `now`, in core seconds, of a sharer with this level. */
export const usageOfLevel = (level: number, halfLife: number, now: number): number =>
  2 ** (level - now / halfLife);

/**
 * Returns how many turns of a sharer with this level have passed: a turn lasts for one core second by weight, as of the
 * begin of the half-life with the number `halves`. A sharer keeps its turn until it has used that much: the tasks of
 * one job that are assigned together have few rows to write.
 */
export const turnsOfLevel = (level: number, halves: number): number => Math.floor(2 ** (level - halves));
