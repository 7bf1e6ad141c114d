import { patternOf, placesIn } from './log-search.ts';
import type { SearchAnswer, SearchTask } from './search-messages.ts';

/** Searches beside the page: a pattern that takes for ever is ended with the worker. */

const answer = (said: SearchAnswer): void => postMessage(said);

addEventListener('message', ({ data }: MessageEvent<SearchTask>) => {
  const pattern = patternOf(data.query);
  const places =
    typeof pattern === 'string'
      ? new Uint32Array()
      : placesIn(data.text, data.firstLine, pattern, {
          max: data.max,
          isOncePerLine: data.query.isOncePerLine,
        });
  answer({ is: 'found', id: data.id, places });
});

answer({ is: 'ready' });
