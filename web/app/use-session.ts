import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { onSignIn } from '../state/session-messages.ts';

/**
 * Keeps the session of the page: reports its user, notices that a sign-in in another tab renewed it, and loads the data
 * and connects the event channel again after a renewal. Does nothing while authentication is off.
 */
export function useSession(): void {
  const { rest, events, session } = useService();
  const client = useQueryClient();
  const { data } = useQuery(queries.principal(rest));
  const subject = data === undefined || data.kind === 'anonymous' ? '' : data.subject;

  useEffect(() => {
    if (subject !== '') session.identified(subject);
  }, [session, subject]);

  useEffect(() => {
    let before = session.state();
    return session.subscribe(() => {
      const wasEnded = before === 'ended' || before === 'postponed';
      before = session.state();
      if (before !== 'active' || !wasEnded) return;
      events.retryNow();
      void client.invalidateQueries();
    });
  }, [session, events, client]);

  useEffect(() => {
    if (subject === '') return undefined;
    const check = (): void => void session.check();
    const returned = (): void => {
      if (document.visibilityState === 'visible' && session.state() !== 'active') check();
    };
    const offSignIn = onSignIn(check);
    // The upgrade of the event channel does not tell a page that it was refused for lack of a session.
    const offState = events.onState(({ kind }) => {
      if (kind === 'waiting') check();
    });
    document.addEventListener('visibilitychange', returned);
    window.addEventListener('focus', returned);
    return () => {
      offSignIn();
      offState();
      document.removeEventListener('visibilitychange', returned);
      window.removeEventListener('focus', returned);
    };
  }, [session, events, subject]);
}
