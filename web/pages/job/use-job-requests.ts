import { useLocation } from 'wouter';
import type { JobDetail } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useJobAction } from './use-job-action.ts';

/** Requests that change a job. Each reports its result in a toast. */
export interface JobRequests {
  readonly isBusy: boolean;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Retries all failed and canceled tasks. */
  readonly retryAll: () => void;
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
    retryAll: () =>
      run('Could not retry the job', async () => {
        const { retried } = await rest.call('post', '/jobs/{id}/retry', { path });
        return `${counted(retried, 'task')} retried`;
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
