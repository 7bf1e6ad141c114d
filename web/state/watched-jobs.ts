import type { JobEvent } from '../../client/events/subjects.ts';

/** Job for which this browser shows a notification when it ends. */
export interface WatchedJob {
  readonly id: string;
  readonly name: string;
}

export type JobEnding = 'completed' | 'failed' | 'canceled' | 'removed';

export interface EndedJob extends WatchedJob {
  readonly ending: JobEnding;
}

/** Limit of watched jobs: after lost events, each costs one request. */
export const WATCHED_MAX = 20;
export const WATCHED_KEY = 'watched-jobs';

const ENDINGS: readonly string[] = ['completed', 'failed', 'canceled', 'removed'] satisfies JobEnding[];

export const isEnding = (status: string): status is JobEnding => ENDINGS.includes(status);

/** Parses the stored watched jobs; null if the value is invalid. */
export function asWatchedJobs(kept: unknown): readonly WatchedJob[] | null {
  if (!Array.isArray(kept)) return null;
  return kept.filter(isWatchedJob).slice(-WATCHED_MAX);
}

const isWatchedJob = (entry: unknown): entry is WatchedJob =>
  typeof entry === 'object' &&
  entry !== null &&
  'id' in entry &&
  typeof entry.id === 'string' &&
  'name' in entry &&
  typeof entry.name === 'string';

/** Adds a job. The job watched longest is removed beyond the limit. */
export const watching = (jobs: readonly WatchedJob[], { id, name }: WatchedJob): readonly WatchedJob[] =>
  [...notWatching(jobs, id), { id, name }].slice(-WATCHED_MAX);

export const notWatching = (jobs: readonly WatchedJob[], id: string): readonly WatchedJob[] =>
  jobs.filter((job) => job.id !== id);

/** Returns the watched jobs that ended by these events, in the order of the events, each once. */
export function endedOf(
  watched: readonly WatchedJob[],
  updates: readonly Pick<JobEvent, 'job_id' | 'status'>[],
): readonly EndedJob[] {
  const left = new Map(watched.map((job) => [job.id, job]));
  const ended: EndedJob[] = [];
  for (const { job_id: id, status } of updates) {
    const job = left.get(id);
    if (job === undefined || !isEnding(status)) continue;
    left.delete(id);
    ended.push({ ...job, ending: status });
  }
  return ended;
}

const ENDING_TEXTS: Readonly<Record<JobEnding, string>> = {
  completed: 'is completed',
  failed: 'has failed',
  canceled: 'was canceled',
  removed: 'was deleted',
};

/** Returns the text of the notification. Isolation marks keep a right-to-left name apart from the words around it. */
export const endingText = ({ name, ending }: EndedJob): string =>
  `\u2068${name}\u2069 ${ENDING_TEXTS[ending]}`;
