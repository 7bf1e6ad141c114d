import { useLocation } from 'wouter';
import type { JobDetail } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { retriedText } from './model/retried-text.ts';
import { useJobAction } from './use-job-action.ts';

/** Requests that change a job. Each reports its result in a toast. */
export interface JobRequests {
  readonly isBusy: boolean;
  readonly pause: () => void;
  readonly resume: () => void;
  /**
   * Retries all failed and canceled tasks. Calls `choose` instead if dependents were canceled because of the job: the
   * user decides about them.
   */
  readonly retryAll: (choose: () => void) => void;
  readonly cancel: () => Promise<void>;
  /** Deletes the job and opens the list of jobs. */
  readonly remove: () => Promise<void>;
}

export function useJobRequests(job: JobDetail, onChanged: () => void): JobRequests {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const [isBusy, run] = useJobAction(onChanged);
  const path = { id: job.id };
  return {
    isBusy,
    pause: () =>
      run('Could not pause the job', async () => {
        await rest.call('patch', '/jobs/{id}', { path, body: { action: 'pause' } });
        return 'Job paused';
      }),
    resume: () =>
      run('Could not resume the job', async () => {
        await rest.call('patch', '/jobs/{id}', { path, body: { action: 'resume' } });
        return 'Job resumed';
      }),
    retryAll: (choose) =>
      run('Could not retry the job', async () => {
        const preview = await rest.call('post', '/jobs/{id}/retry', {
          path,
          query: { with_dependents: true, dry_run: true },
        });
        if (preview.dependents.length > 0) {
          choose();
          return null;
        }
        return retriedText(await rest.call('post', '/jobs/{id}/retry', { path }));
      }),
    cancel: async () => {
      await rest.call('post', '/jobs/{id}/cancel', { path });
      toasts.done(`${job.name} canceled`);
      onChanged();
    },
    remove: async () => {
      await rest.call('delete', '/jobs/{id}', { path });
      toasts.done(`${job.name} deleted`);
      navigate('/jobs');
    },
  };
}
