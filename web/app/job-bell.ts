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
 * Tells the user when a job that they watch has ended, on whatever page they are, also while live updates are held. What ended while
 * the window was closed or without a connection is asked for.
 */
export function useJobBell(): void {
  const { rest, events } = useService();
  const { jobs, unwatch } = useWatchedJobs();
  const [, navigate] = useLocation();

  const ring = useEffectEvent((told: Parameters<typeof endedOf>[1]) => {
    for (const job of endedOf(jobs, told)) {
      unwatch(job.id);
      tell(job, () => navigate(addressOf(job.id)));
    }
  });
  const ask = useEffectEvent(async (signal: AbortSignal) => {
    for (const { id } of jobs) {
      try {
        const { status } = await rest.call('get', '/jobs/{id}', { path: { id }, signal });
        ring([{ job_id: id, status }]);
      } catch (error) {
        if (error instanceof ProblemError && error.status === 404) ring([{ job_id: id, status: 'removed' }]);
        // Without an answer the next connection asks again.
        else return;
      }
    }
  });
  useEffect(() => {
    const gone = new AbortController();
    const catchUp = (): void => void ask(gone.signal);
    const unsubscribe = events.subscribe(
      'jobs',
      { events: (list) => ring(list.map(({ payload }) => payload)), gap: catchUp, ready: catchUp },
      { sinceSeq: 'now' },
    );
    return () => {
      gone.abort();
      unsubscribe();
    };
  }, [events]);
}

function tell(job: EndedJob, show: () => void): void {
  const text = endingText(job);
  toasts.told(
    text,
    job.ending === 'failed' ? 'failed' : 'done',
    job.ending === 'removed' ? '' : addressOf(job.id),
  );
  if (!document.hidden) return;
  flashTitle(text);
  if (!isSecureContext || !('Notification' in window) || Notification.permission !== 'granted') return;
  // The tag lets several windows of one browser show one notification.
  const notification = new Notification(text, { tag: job.id, icon: '/icon.svg' });
  notification.onclick = () => {
    window.focus();
    if (job.ending !== 'removed') show();
    notification.close();
  };
}
