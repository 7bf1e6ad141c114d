import { useQuery } from '@tanstack/react-query';
import { LogIn } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Providers } from '../../../client/resources.ts';
import type { Rest } from '../../../client/rest.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Notice } from '../../parts/notice.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { announceSignIn } from '../../state/session-messages.ts';
import { localPath, providerHref, RETURN_TO } from '../../state/sign-in-address.ts';
import { SignInFields } from './sign-in-fields.tsx';
import { providerError } from './sign-in-errors.ts';
import { useSignIn } from './use-sign-in.ts';
import './sign-in-page.css';

/** The sign-in page: name and password for accounts of the service and of a directory, and the provider. */
export function SignInPage({ rest }: { rest: Rest }) {
  const [parameters] = useState(() => new URLSearchParams(location.search));
  const isDone = parameters.has('done');
  useEffect(() => {
    document.title = 'Sign in · Callsheet';
  }, []);
  return (
    <main className="sign-in">
      <div className="sign-in__card card stack">
        <div className="sign-in__brand">
          <img src="/icon.svg" alt="" />
          <span>Callsheet</span>
        </div>
        {isDone ? <Done /> : <Ways rest={rest} parameters={parameters} />}
      </div>
    </main>
  );
}

/** Shown in the tab that another tab has opened for the provider. */
function Done() {
  useEffect(() => {
    announceSignIn();
    window.close();
  }, []);
  return (
    <>
      <h1>Signed in</h1>
      <p>Close this tab, and continue in the other one.</p>
      <a href="/">Go to overview</a>
    </>
  );
}

function Ways({ rest, parameters }: { rest: Rest; parameters: URLSearchParams }) {
  const { data, error, refetch } = useQuery(queries.providers(rest));
  if (data === undefined)
    return error === null ? (
      <SkeletonLines lines={4} label="Loading the ways to sign in" />
    ) : (
      <>
        <h1>Sign in</h1>
        <QueryProblem error={error} what="the ways to sign in" onRetry={() => void refetch()} />
      </>
    );
  if (!data.auth_enabled)
    return (
      <EmptyState title="Signing in is not required" actions={<a href="/">Go to overview</a>}>
        Authentication is turned off on this server.
      </EmptyState>
    );
  return <Form providers={data} parameters={parameters} />;
}

function Form({ providers, parameters }: { providers: Providers; parameters: URLSearchParams }) {
  const failed = providerError(parameters.get('error'));
  const wanted = failed === '' ? parameters.get(RETURN_TO) : wantedPage.read();
  const returnTo = localPath(wanted, location.origin);
  const hasPassword = providers.local || providers.ldap;
  const model = useSignIn('', failed, () => {
    wantedPage.forget();
    announceSignIn();
    // A new document, so that no data of an earlier user remain. The sign-in page leaves the history.
    location.replace(returnTo);
  });
  return (
    <>
      <h1>Sign in</h1>
      {hasPassword ? (
        <form
          className="stack"
          method="post"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            model.submit();
          }}
        >
          <SignInFields model={model} isFixed={false} />
          <SubmitButton isBusy={model.isBusy} icon={<LogIn aria-hidden="true" />}>
            Sign in
          </SubmitButton>
        </form>
      ) : (
        failed !== '' && <Notice kind="danger" detail={failed} />
      )}
      {providers.oidc && (
        <>
          {hasPassword && <div className="sign-in__or muted">or</div>}
          <a className="button" href={providerHref(returnTo)} onClick={() => wantedPage.write(returnTo)}>
            Sign in with SSO
          </a>
        </>
      )}
    </>
  );
}

const WANTED_KEY = 'callsheet.wanted-page';

/** The page that the user wanted, for the case that the provider leads back with an error. */
const wantedPage = {
  read: (): string | null => {
    try {
      return sessionStorage.getItem(WANTED_KEY);
    } catch {
      return null;
    }
  },
  write: (path: string): void => {
    try {
      sessionStorage.setItem(WANTED_KEY, path);
    } catch {
      // Without storage the overview is shown after a failed attempt.
    }
  },
  forget: (): void => {
    try {
      sessionStorage.removeItem(WANTED_KEY);
    } catch {
      // Without storage there is nothing to remove.
    }
  },
};
