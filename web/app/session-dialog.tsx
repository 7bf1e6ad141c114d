import { useQuery } from '@tanstack/react-query';
import { ExternalLink, LogIn } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import type { Principal } from '../../client/resources.ts';
import { SignInFields } from '../pages/sign-in/sign-in-fields.tsx';
import { useSignIn } from '../pages/sign-in/use-sign-in.ts';
import { Button, SubmitButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { announceSignIn } from '../state/session-messages.ts';
import type { SessionState } from '../state/session.ts';
import { DONE_PATH, providerHref, signInHref } from '../state/sign-in-address.ts';

function useSessionState(): SessionState {
  const { session } = useService();
  return useSyncExternalStore(session.subscribe, session.state);
}

/** Asks for the sign-in over the page when the session has ended, so that nothing that was entered is lost. */
export function SessionDialog() {
  const { rest } = useService();
  const state = useSessionState();
  const { data } = useQuery(queries.principal(rest));
  if (state !== 'ended' || data === undefined) return null;
  return data.auth_source === 'oidc' ? <ProviderDialog /> : <PasswordDialog principal={data} />;
}

const TITLE = 'Your session has ended';

function PasswordDialog({ principal }: { principal: Principal }) {
  const { session } = useService();
  const model = useSignIn(principal.username, '', async () => {
    announceSignIn();
    await session.check();
  });
  return (
    <Dialog
      title={TITLE}
      onClose={() => session.postpone()}
      onSubmit={model.submit}
      foot={
        <>
          <Button onPress={() => session.postpone()}>Not now</Button>
          <SubmitButton isBusy={model.isBusy} icon={<LogIn aria-hidden="true" />}>
            Sign in
          </SubmitButton>
        </>
      }
    >
      <p>Sign in to continue. What you entered on this page is kept.</p>
      <SignInFields model={model} isFixed />
      <SomebodyElse />
    </Dialog>
  );
}

/** The provider needs the whole window, so it gets a tab of its own, and this page waits for it. */
function ProviderDialog() {
  const { session } = useService();
  return (
    <Dialog
      title={TITLE}
      onClose={() => session.postpone()}
      onSubmit={() => void session.check()}
      foot={
        <>
          <Button onPress={() => session.postpone()}>Not now</Button>
          <a className="button button--primary" href={providerHref(DONE_PATH)} target="_blank">
            <ExternalLink aria-hidden="true" />
            Sign in with SSO
          </a>
        </>
      }
    >
      <p>Sign in with SSO to continue: it opens in another tab. What you entered on this page is kept.</p>
      <SomebodyElse />
    </Dialog>
  );
}

function SomebodyElse() {
  return (
    <div>
      <a href={signInHref(location)}>Sign in as another user, and discard what you entered</a>
    </div>
  );
}

/** Shown while the user has postponed the sign-in. */
export function SessionBanner() {
  const { session } = useService();
  if (useSessionState() !== 'postponed') return null;
  return (
    <div className="connection-banner" role="status">
      <span>Your session has ended. The data on this page are not updated.</span>
      <Button size="small" onPress={() => session.resume()}>
        Sign in
      </Button>
    </div>
  );
}
