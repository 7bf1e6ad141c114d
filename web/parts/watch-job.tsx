import { Bell, BellRing } from 'lucide-react';
import { toasts } from '../state/toasts.ts';
import { useWatchedJobs } from '../state/use-watched-jobs.ts';
import { isEnding } from '../state/watched-jobs.ts';
import { IconButton } from './button.tsx';

/** Tells the user when the job ends; nothing for a job that has ended. */
export function WatchJobButton({ jobId, name, status }: { jobId: string; name: string; status: string }) {
  const { jobs, watch, unwatch } = useWatchedJobs();
  const isWatched = jobs.some(({ id }) => id === jobId);
  if (isEnding(status)) return null;
  return (
    <IconButton
      label="Tell me when this job ends"
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

/** Browsers show notifications of secure origins alone, and only after the user has agreed. */
async function askToNotify(): Promise<void> {
  if (!isSecureContext || !('Notification' in window)) {
    toasts.done('You will be told in this window', 'Notifications of the system need HTTPS.');
    return;
  }
  const answer =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission;
  if (answer === 'granted')
    toasts.done('You will be told when the job ends', 'While Callsheet is open in this browser.');
  else
    toasts.done(
      'You will be told in this window',
      'The browser was told to show no notifications of this site.',
    );
}
