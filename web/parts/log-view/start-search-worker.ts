import type { StartWorker } from './log-finder.ts';
import type { SearchAnswer } from './search-messages.ts';

/** Starts a search worker. */
export const startSearchWorker: StartWorker = (onAnswer) => {
  const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<SearchAnswer>) => onAnswer(data));
  return {
    post: (task) => worker.postMessage(task),
    // oxlint-disable-next-line syntax/restricted -- A worker of the browser holds nothing that must be closed.
    end: () => worker.terminate(),
  };
};
