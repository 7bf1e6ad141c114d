import type { QueuePolicySetting } from '../records/queue-policy.ts';

/** Use of a farm by the tasks of one sharer. */
export interface ShareUse {
  /** Cores in use by its tasks now. */
  cores: number;
  /** Core seconds until `at`, of which a half counts after each half-life. Only for `weighted`. */
  usage: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Cores in use count for this time in advance, so that the order changes with each assigned task. */
const ADVANCE_SECONDS = 60;

const MS_PER_SECOND = 1000;

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
 * Returns the position of a sharer among all with the same half-life; lower ones are served first. It is the logarithm
 * of usage by weight, as it would be at the epoch if it had only decayed since: all usages decay by the same factor, so
 * that the order between two sharers changes only when the use of one of them is counted again.
 */
export const weightedRank = ({ cores, usage, at }: ShareUse, weight: number, halfLife: number): number =>
  Math.log2((usage + cores * ADVANCE_SECONDS) / weight) + at / halfLife;

/** Returns usage by weight at `now`, in core seconds, of a sharer with this rank. */
export const usageOfRank = (rank: number, halfLife: number, now: number): number =>
  2 ** (rank - now / halfLife);
