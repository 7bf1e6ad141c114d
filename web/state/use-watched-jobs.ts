import { useCallback } from 'react';
import { usePreference } from './use-preference.ts';
import { asWatchedJobs, notWatching, WATCHED_KEY, watching, type WatchedJob } from './watched-jobs.ts';

const NONE: readonly WatchedJob[] = [];

/** Returns the jobs that this browser watches, and the functions that change them. */
export function useWatchedJobs() {
  const [jobs, setJobs] = usePreference(WATCHED_KEY, NONE, asWatchedJobs);
  const watch = useCallback((job: WatchedJob) => setJobs(watching(jobs, job)), [jobs, setJobs]);
  const unwatch = useCallback((id: string) => setJobs(notWatching(jobs, id)), [jobs, setJobs]);
  return { jobs, watch, unwatch };
}
