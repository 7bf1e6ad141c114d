import { done, type Outcome } from '../../src/core/problems.ts';
import { readRetryRules } from '../../src/core/retry-rules/read-rules.ts';
import type { RetryRule } from '../../src/core/retry-rules/retry-rule.ts';
import { pointedProblem } from '../problems.ts';
import type { Ports } from '../ports.ts';

/** Rules to be spread into an input: without the member, stored rules stay. */
export interface SentRules {
  readonly retryRules?: readonly RetryRule[];
}

/** Returns the retry rules of a body: an empty list for null, and nothing if the body has none. */
export function sentRetryRules(
  { retry_rules: sent }: { readonly retry_rules?: unknown },
  { regex }: Pick<Ports, 'regex'>,
): Outcome<SentRules> {
  if (sent === undefined) return done({});
  if (sent === null) return done({ retryRules: [] });
  const read = readRetryRules(sent, '/retry_rules', regex);
  return read.ok
    ? done({ retryRules: read.rules })
    : { ok: false, problem: pointedProblem('bad-request', read.errors) };
}
