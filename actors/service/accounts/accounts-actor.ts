import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSystem } from '../service-system.ts';
import { onKeyCreate, onKeyRevoke, onKeyUsed } from './on-key.ts';
import { onExternalSession, onSessionEnd, onSessionsDue, onSessionStart } from './on-session.ts';
import { onBootstrap, onRehash, onSetPassword, onUserCreate, onUserDelete, onUserUpdate } from './on-user.ts';
import { loadAccounts, type AccountsState } from './state.ts';

/**
 * The accounts actor owns users, sessions and API keys (docs/decisions/accounts.md). It decides what must not be
 * decided twice at the same time: the name of a new account, the last administrator, the end of sessions.
 */
export const accountsActor = (): ActorDefinition<ServiceSystem, 'accounts', AccountsState> => ({
  kind: 'accounts',
  load: loadAccounts,
  onActivated: (_state, context) => {
    context.after('sessions', 0, { type: 'sessions.due' });
  },
  onMissing: () => null,
  handlers: {
    'accounts.activate': () => undefined,
    'sessions.due': onSessionsDue,
    'user.bootstrap': onBootstrap,
    'user.create': onUserCreate,
    'user.update': onUserUpdate,
    'user.set-password': onSetPassword,
    'user.rehash': onRehash,
    'user.delete': onUserDelete,
    'session.start': onSessionStart,
    'session.start-external': onExternalSession,
    'session.end': onSessionEnd,
    'key.create': onKeyCreate,
    'key.revoke': onKeyRevoke,
    'key.used': onKeyUsed,
  },
});
