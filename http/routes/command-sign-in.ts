import { keys } from '../../src/core/records/tables.ts';
import { CHALLENGE } from '../guards/access.ts';
import type { Ports } from '../ports.ts';
import { CommandGrants, GRANT_SECONDS } from '../sign-in/command-grants.ts';
import { newApiKey } from './api-keys.ts';
import { problem, type Handler, type ProblemReply } from './operation.ts';

/** docs/contract/authentication.md#sign-in-of-the-command-line */

const OFF = problem('conflict', 'authentication is off (auth.enabled): the command needs no key');

const BUSY: ProblemReply = {
  ...problem('unavailable', 'too many commands are signing in; try again in two minutes'),
  headers: [['Retry-After', String(GRANT_SECONDS)]],
};

const REFUSED: ProblemReply = {
  ...problem('unauthorized', 'the code is unknown, used or expired, or another command asked for it'),
  headers: CHALLENGE,
};

/** Returns the handlers of `callsheet login` by the browser, which share the codes that are open. */
export function commandSignIn({ steadyNow }: Pick<Ports, 'steadyNow'>): {
  readonly createCommandGrant: Handler<'createCommandGrant'>;
  readonly redeemCommandGrant: Handler<'redeemCommandGrant'>;
} {
  const grants = new CommandGrants(steadyNow);
  return {
    createCommandGrant: ({ principal, body }, ports) => {
      if (!ports.auth.enabled) return OFF;
      const grant = { userId: principal.subject, keyName: `callsheet login on ${body.host}` };
      const code = grants.create(grant, body.challenge);
      if (code === null) return BUSY;
      return { kind: 'json', status: 200, body: { code, expires_in: GRANT_SECONDS } };
    },
    redeemCommandGrant: async ({ body, client }, ports) => {
      if (!ports.auth.enabled) return OFF;
      const grant = grants.redeem(body.code, body.verifier);
      if (grant === null) {
        ports.log('warn', 'a command was refused an API key', { client: client() });
        return REFUSED;
      }
      const user = ports.store.get('user', keys.user(grant.userId));
      if (user === undefined || user.disabled) return REFUSED;
      const outcome = await newApiKey(ports, user.id, grant.keyName, null);
      if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
      const location = `/api/v1/api-keys/${outcome.value.id}`;
      return { kind: 'json', status: 201, body: outcome.value, location };
    },
  };
}
