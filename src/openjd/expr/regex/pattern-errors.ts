import { ExprFailure } from '../expr-failure.ts';

/**
 * Returns the failure of a feature that only Python or only Rust has, or that takes more than linear time (section
 * 2.2.5).
 */
export const unsupported = (feature: string): ExprFailure =>
  new ExprFailure(`Unsupported regex feature: ${feature}`);

/** Returns the failure of an invalid regular expression. */
export const invalid = (why: string): ExprFailure => new ExprFailure(`Invalid regex pattern: ${why}`);
