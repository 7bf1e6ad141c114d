import type { Step } from '../../client/resources.ts';
import type { ClientContext } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

/** Options of `callsheet jobs hold` and `release`. */
export interface HoldOptions {
  readonly step?: string;
  readonly reason?: string;
}

/** Holds or releases a step of a job. Throws a CommandError with the exit status `usage` without a step. */
export async function holdStep(
  { client }: ClientContext,
  id: string,
  action: 'hold' | 'release',
  { step, reason = '' }: HoldOptions,
): Promise<Step> {
  if (step === undefined) throw new CommandError(EXIT.usage, `"${action}" needs --step`);
  const path = { id, step };
  return action === 'hold'
    ? client.call('post', '/jobs/{id}/steps/{step}/hold', { path, body: { reason } })
    : client.call('post', '/jobs/{id}/steps/{step}/release', { path });
}
