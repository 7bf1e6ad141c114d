import type { Outcome } from '../../src/core/problems.ts';
import {
  versionRefusal,
  type IfMatch,
  type Settings,
  type SettingsKind,
} from '../../src/core/records/settings-version.ts';
import type { ReplyTo } from '../kernel/address.ts';

interface GuardedChange<Answer> {
  readonly ifMatch?: IfMatch | undefined;
  readonly replyTo: ReplyTo<Outcome<Answer>>;
}

interface Replying {
  reply<Answer>(to: ReplyTo<Answer>, answer: Answer): void;
}

/**
 * Reports whether a change expects other settings than the present ones (docs/rest.md#concurrent-changes). If so, it has
 * replied with the refusal, and the caller changes nothing.
 */
export function refusesOutdated<Answer>(
  kind: SettingsKind,
  settings: Settings,
  { ifMatch = null, replyTo }: GuardedChange<Answer>,
  context: Replying,
): boolean {
  const problem = versionRefusal(kind, settings, ifMatch);
  if (problem === null) return false;
  context.reply(replyTo, { ok: false, problem });
  return true;
}
