import { Bell, BellRing } from 'lucide-react';
import { toasts } from '../state/toasts.ts';
import { useWatchedJobs } from '../state/use-watched-jobs.ts';
import { isEnding } from '../state/watched-jobs.ts';
import { IconButton } from './button.tsx';

/** Button that notifies the user when the job ends; hidden for a job that has ended. */
export function WatchJobButton({ jobId, name, status }: { jobId: string; name: string; status: string }) {
  const { jobs, watch, unwatch } = useWatchedJobs();
  const isWatched = jobs.some(({ id }) => id === jobId);
  if (isEnding(status)) return null;
  return (
    <IconButton
      label="Notify me when this job ends"
      icon={isWatched ? <BellRing aria-hidden="true" /> : <Bell aria-hidden="true" />}
      isPressed={isWatched}
      onPress={() => {
        if (isWatched) {
          unwatch(jobId);
          return;
        }
        watch({ id: jobId, name });
        void askToNotify();
      }}
    />
  );
}

/** Browsers show notifications only for secure origins, and only with the user's permission. */
async function askToNotify(): Promise<void> {
  if (!isSecureContext || !('Notification' in window)) {
    toasts.done('Callsheet will notify you in this window', 'System notifications require HTTPS.');
    return;
  }
  const answer =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  if (answer === 'granted')
    toasts.done('Callsheet will notify you when the job ends', 'Keep Callsheet open in this browser.');
  else
    toasts.done(
      'Callsheet will notify you in this window',
      'Notifications for this site are blocked in your browser.',
    );
}
