import { patternOf, matchesIn } from './log-search.ts';
import type { SearchAnswer, SearchTask } from './search-messages.ts';

/** Searches in a worker, so that terminating it stops a pattern that never ends. */

const answer = (said: SearchAnswer): void => postMessage(said);

addEventListener('message', ({ data }: MessageEvent<SearchTask>) => {
  const pattern = patternOf(data.query);
  const places =
    typeof pattern === 'string'
      ? new Uint32Array()
      : matchesIn(data.text, data.firstLine, pattern, {
          max: data.max,
          isOncePerLine: data.query.isOncePerLine,
        });
  answer({ is: 'found', id: data.id, places });
});

answer({ is: 'ready' });
