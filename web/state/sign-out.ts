import { ProblemError } from '../../client/problem.ts';
import { Rest } from '../../client/rest.ts';
import { SIGN_IN_PATH, signOutHref } from './sign-in-address.ts';

/**
 * Ends the session, and shows the sign-in page, or the page at which the browser signs out at the provider. Rejects if
 * the session may still be valid.
 */
export async function signOut(): Promise<void> {
  // This call does not wait for a sign-in.
  const rest = new Rest({ base: location.origin });
  const next = signOutHref(await endSession(rest), location.origin) ?? SIGN_IN_PATH;
  forgetDrafts();
  location.replace(next);
}

async function endSession(rest: Rest): Promise<string | undefined> {
  try {
    return (await rest.call('post', '/auth/logout')).redirect_url;
  } catch (error) {
    // There was no session any more.
    if (error instanceof ProblemError && error.status === 401) return undefined;
    throw error;
  }
}

/** The next user of this tab must not see forms that were begun. */
function forgetDrafts(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage there are no drafts.
  }
}
