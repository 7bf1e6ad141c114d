import type { JobEvent } from '../../client/events/subjects.ts';

/** Jobs that the user of this browser wants to hear of when they end. */
export interface WatchedJob {
  readonly id: string;
  readonly name: string;
}

export type JobEnding = 'completed' | 'failed' | 'canceled' | 'removed';

export interface EndedJob extends WatchedJob {
  readonly ending: JobEnding;
}

/** One request a job is made after a loss of events, so that there may not be many. */
export const WATCHED_MAX = 20;
export const WATCHED_KEY = 'watched-jobs';

const ENDINGS: readonly string[] = ['completed', 'failed', 'canceled', 'removed'] satisfies JobEnding[];

export const isEnding = (status: string): status is JobEnding => ENDINGS.includes(status);

/** The watched jobs of what a browser has kept; null when it is none of our shape. */
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

/** With the job; the one that is watched the longest gives way when there are too many. */
export const watching = (jobs: readonly WatchedJob[], { id, name }: WatchedJob): readonly WatchedJob[] =>
  [...notWatching(jobs, id), { id, name }].slice(-WATCHED_MAX);

export const notWatching = (jobs: readonly WatchedJob[], id: string): readonly WatchedJob[] =>
  jobs.filter((job) => job.id !== id);

/** Which of the watched jobs have ended by what is told of jobs, in the order in which it is told; a job ends once. */
export function endedOf(
  watched: readonly WatchedJob[],
  told: readonly Pick<JobEvent, 'job_id' | 'status'>[],
): readonly EndedJob[] {
  const left = new Map(watched.map((job) => [job.id, job]));
  const ended: EndedJob[] = [];
  for (const { job_id: id, status } of told) {
    const job = left.get(id);
    if (job === undefined || !isEnding(status)) continue;
    left.delete(id);
    ended.push({ ...job, ending: status });
  }
  return ended;
}

const WORDS: Readonly<Record<JobEnding, string>> = {
  completed: 'is completed',
  failed: 'has failed',
  canceled: 'was canceled',
  removed: 'was deleted',
};

/** What the user is told. The name is kept apart from the words around it, for a text that runs from right to left. */
export const endingText = ({ name, ending }: EndedJob): string => `\u2068${name}\u2069 ${WORDS[ending]}`;
