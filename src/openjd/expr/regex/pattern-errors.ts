import { ExprFailure } from '../expr-failure.ts';

/** Something that Python or Rust knows and the other does not, or that takes more than linear time (section 2.2.5). */
export const unsupported = (feature: string): ExprFailure =>
  new ExprFailure(`Unsupported regex feature: ${feature}`);

/** Something that is no regular expression. */
export const invalid = (why: string): ExprFailure => new ExprFailure(`Invalid regex pattern: ${why}`);
