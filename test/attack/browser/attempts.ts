import type { AttackReport } from '../attack.ts';
import type { RawAnswer } from './raw-http.ts';

/** A running service under attack. Its rate limit must be off, unless the attack is on the limit. */
export interface Site {
  readonly port: number;
  /** The origin in `http.cors_origins`. */
  readonly listed: string;
  /** `http.public_url`. */
  readonly publicUrl: string;
  /** `NAME=VALUE` of the cookie of a live session; null while authentication is off. */
  readonly session: string | null;
  /** A live API key; null while authentication is off. */
  readonly apiKey: string | null;
}

/** One attempt, and what the service must do with it. */
export interface Attempt {
  readonly name: string;
  readonly send: () => Promise<RawAnswer | null>;
  /** Returns what is wrong with the answer, or null. */
  readonly check: (answer: RawAnswer | null) => string | null;
}

/**
 * Makes `count` of the attempts, spread evenly over all of them.
 *
 * @throws RangeError if there are fewer attempts than `count`.
 */
export async function runAttempts(attempts: readonly Attempt[], count: number): Promise<AttackReport> {
  if (attempts.length < count) throw new RangeError(`there are ${attempts.length} attempts, not ${count}`);
  const violations: string[] = [];
  for (let at = 0; at < count; at++) {
    const attempt = attempts[Math.floor((at * attempts.length) / count)];
    if (attempt === undefined) continue;
    const wrong = attempt.check(await attempt.send());
    if (wrong !== null) violations.push(`${attempt.name}: ${wrong}`);
  }
  return { tried: count, violations };
}

/** Expects a status. */
export const hasStatus =
  (...statuses: readonly number[]): Attempt['check'] =>
  (answer) =>
    answer !== null && statuses.includes(answer.status)
      ? null
      : `expected ${statuses.join(' or ')}, got ${answer === null ? 'no answer' : answer.status}`;

/** Expects an answer with any status except these. */
export const hasOtherStatus =
  (...statuses: readonly number[]): Attempt['check'] =>
  (answer) =>
    answer === null
      ? 'got no answer'
      : statuses.includes(answer.status)
        ? `got ${answer.status}: ${answer.body}`
        : null;

/** Name of the service in the requests of the attacks. */
export const OWN_HOST = 'localhost';
