import { ProblemError } from '../../client/problem.ts';
import { Rest } from '../../client/rest.ts';
import { Session, type Identity } from './session.ts';
import { SIGN_IN_PATH, signInHref } from './sign-in-address.ts';

/** Returns who the browser is at the server. `rest` must not wait for a sign-in. */
async function identify(rest: Rest): Promise<Identity> {
  try {
    const { kind, subject } = await rest.call('get', '/auth/me');
    return kind === 'anonymous' ? { kind: 'not-asked' } : { kind: 'user', subject };
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 401)) return { kind: 'not-asked' };
  }
  try {
    // A proxy may have answered 401 for itself.
    const { auth_enabled: isOn } = await rest.call('get', '/auth/providers');
    return { kind: isOn ? 'signed-out' : 'not-asked' };
  } catch {
    // The error of the request itself is shown.
    return { kind: 'not-asked' };
  }
}

/** Returns the session of this browser at the server of the page. */
export function browserSession(): Session {
  const rest = new Rest({ base: location.origin });
  return new Session({
    identify: () => identify(rest),
    leave: () => {
      if (location.pathname !== SIGN_IN_PATH) location.replace(signInHref(location));
    },
    reload: () => location.reload(),
  });
}
