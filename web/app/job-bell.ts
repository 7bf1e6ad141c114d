import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';
import { ProblemError } from '../../client/problem.ts';
import { useService } from '../state/service.tsx';
import { toasts } from '../state/toasts.ts';
import { useWatchedJobs } from '../state/use-watched-jobs.ts';
import { endedOf, endingText, type EndedJob } from '../state/watched-jobs.ts';
import { flashTitle } from './title-flash.ts';

const addressOf = (id: string): string => `/jobs/${encodeURIComponent(id)}`;

/**
 * Notifies the user on any page when a watched job ends, also while live updates are paused. After a lost connection
 * or a closed window, it requests the status of each watched job.
 */
export function useJobBell(): void {
  const { rest, events } = useService();
  const { jobs, unwatch } = useWatchedJobs();
  const [, navigate] = useLocation();

  const notifyEnded = useEffectEvent((updates: Parameters<typeof endedOf>[1]) => {
    for (const job of endedOf(jobs, updates)) {
      unwatch(job.id);
      notify(job, () => navigate(addressOf(job.id)));
    }
  });
  const checkJobs = useEffectEvent(async (signal: AbortSignal) => {
    for (const { id } of jobs) {
      try {
        const { status } = await rest.call('get', '/jobs/{id}', { path: { id }, signal });
        notifyEnded([{ job_id: id, status }]);
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404)
          notifyEnded([{ job_id: id, status: 'removed' }]);
        // Without an answer the next connection asks again.
        else return;
      }
    }
  });
  useEffect(() => {
    const unmounted = new AbortController();
    const catchUp = (): void => void checkJobs(unmounted.signal);
    const unsubscribe = events.subscribe(
      'jobs',
      { events: (list) => notifyEnded(list.map(({ payload }) => payload)), gap: catchUp, ready: catchUp },
      { sinceSeq: 'now' },
    );
    return () => {
      unmounted.abort();
      unsubscribe();
    };
  }, [events]);
}

function notify(job: EndedJob, show: () => void): void {
  const text = endingText(job);
  toasts.notify(
    text,
    job.ending === 'failed' ? 'failed' : 'done',
    job.ending === 'removed' ? '' : addressOf(job.id),
  );
  if (!document.hidden) return;
  flashTitle(text);
  if (!isSecureContext || !('Notification' in window) || Notification.permission !== 'granted') return;
  // The tag merges the notifications of several windows of one browser.
  const notification = new Notification(text, { tag: job.id, icon: '/icon.svg' });
  notification.onclick = () => {
    window.focus();
    if (job.ending !== 'removed') show();
    notification.close();
  };
}
