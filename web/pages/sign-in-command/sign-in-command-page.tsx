import { useMutation, useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained } from '../../state/toasts.ts';
import { commandAddress, commandRequest, type CommandRequest } from './command-request.ts';

const TITLE = 'Sign in a command';

/** The page where a user confirms that `callsheet login` may have an API key. */
export function SignInCommandPage() {
  const request = commandRequest(window.location.search);
  return (
    <Page title={TITLE}>
      {request === null ? (
        <EmptyState
          title="Not a sign-in request"
          icon={TriangleAlert}
          actions={<LinkButton href="/">Go to overview</LinkButton>}
        >
          Open the address that callsheet login printed, or start the command again.
        </EmptyState>
      ) : (
        <Confirmation request={request} />
      )}
    </Page>
  );
}

/** Brings a user without a session back to this page after the sign-in. */
function signInFirst(): void {
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?return_to=${encodeURIComponent(`${pathname}${search}`)}`);
}

const isSignedOut = (error: unknown): boolean => error instanceof ProblemError && error.status === 401;

function Confirmation({ request }: { request: CommandRequest }) {
  const { rest } = useService();
  const { data: principal, error, refetch } = useQuery(queries.principal(rest));
  const { challenge, host } = request;
  const grant = useMutation({
    mutationFn: () => rest.call('post', '/auth/command-grants', { body: { challenge, host } }),
    onSuccess: ({ code }) => window.location.assign(commandAddress(request, { code })),
    onError: (failure) => {
      if (isSignedOut(failure)) signInFirst();
    },
  });
  const mustSignIn = isSignedOut(error);
  useEffect(() => {
    if (mustSignIn) signInFirst();
  }, [mustSignIn]);
  if (error !== null && !mustSignIn)
    return <QueryProblem error={error} what="your account" onRetry={() => void refetch()} />;
  if (principal === undefined) return <SkeletonLines lines={4} label="Loading your account" />;
  const isSent = grant.isPending || grant.isSuccess;
  return (
    <>
      <p>
        The command <span className="mono">callsheet login</span> asks for an API key. With it, the command
        can do everything that your account may do.
      </p>
      <KeyValues
        facts={[
          ['Command', <span className="mono">callsheet login</span>],
          ['Computer', <span className="mono">{host}</span>],
          ['Account', principal.username],
        ]}
      />
      <Notice
        kind="warning"
        detail="Allow it only if you have just started this command on this computer. You can revoke the key on your account page."
      />
      {grant.isError && (
        <Notice kind="danger" title="The command was not signed in" {...explained(grant.error)} />
      )}
      <div className="row">
        <Button look="primary" isBusy={isSent} onPress={() => grant.mutate()}>
          Allow command
        </Button>
        <Button onPress={() => window.location.assign(commandAddress(request, { error: 'declined' }))}>
          Decline
        </Button>
      </div>
    </>
  );
}
