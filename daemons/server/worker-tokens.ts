import type { WorkerTokens } from '../../http/ports.ts';
import { joinTokenText } from '../../src/adapters/identity/join-token-text.ts';
import type { BusAuthority } from '../../src/core/ports/bus-authority.ts';

const OFF = 'the bus has no authentication, so workers need no token: set bus.auth.enabled';
const EXTERNAL =
  'the bus is not managed by the service (bus.url), so it has no tokens: create users on it, ' +
  'with the permissions that "callsheet bus permissions" prints';

/** Returns how join tokens are made. `authority` is null if the bus has none. */
export const workerTokensOf = (authority: BusAuthority | null, isExternal: boolean): WorkerTokens =>
  authority === null
    ? { isOn: false, reason: isExternal ? EXTERNAL : OFF }
    : {
        isOn: true,
        textOf: async ({ id, expiresAt }, secret) =>
          joinTokenText({
            i: id,
            s: secret,
            c: authority.caFingerprint,
            u: authority.urls,
            j: await authority.issueJoiner(id, expiresAt),
          }),
      };
