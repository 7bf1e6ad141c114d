import type { Settings } from '../../../client/resources.ts';

/**
 * How a new worker gets access to the bus (docs/bus-identity.md): with a join token; with a user that the operator of an
 * external bus creates; without any. `unknown`: the check of an external bus has had no result.
 */
export type JoinMethod = 'token' | 'user' | 'open' | 'unknown';

/** Returns how workers join. Only the managed server, which has a port, has join tokens. */
export function joinMethod({ authenticated, port }: Settings['bus']): JoinMethod {
  if (authenticated === undefined) return 'unknown';
  if (!authenticated) return 'open';
  return port === undefined ? 'user' : 'token';
}
