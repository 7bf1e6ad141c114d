import { ACCOUNTS_ID, type AccountsMessage } from '../../actors/service/accounts/messages.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { Ports } from '../ports.ts';

/** Sends a request to the accounts actor, as `Actors.ask` does. */
export const askAccounts = <Answer>(
  { actors }: Pick<Ports, 'actors'>,
  make: (replyTo: ReplyTo<Outcome<Answer>>) => AccountsMessage,
): Promise<Outcome<Answer>> =>
  actors.ask<Answer>((replyTo) => ({ actor: 'accounts', id: ACCOUNTS_ID, message: make(replyTo) }));
