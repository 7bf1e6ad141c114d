/**
 * States of a part: not requested, loading, loaded, failed. Exits: loaded is final; a failed part is requested again
 * after `retryParts`.
 */

import { use, type ComponentType } from 'react';
import { loadPart, type PartEffects } from '../state/part-loader.ts';

const RELOAD_KEY = 'callsheet.reloaded-at';

const BROWSER: PartEffects = {
  delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  now: () => Date.now(),
  ownScript: () => {
    const script = document.querySelector<HTMLScriptElement>('script[type=module][src]');
    return script?.getAttribute('src') ?? '';
  },
  index: async () => {
    try {
      const response = await fetch('/', { headers: { accept: 'text/html' }, cache: 'no-store' });
      return response.ok ? await response.text() : null;
    } catch {
      // fetch rejects if the server is unreachable.
      return null;
    }
  },
  reload: () => location.reload(),
  lastReload: {
    get: () => sessionStorage.getItem(RELOAD_KEY),
    set: (text) => sessionStorage.setItem(RELOAD_KEY, text),
  },
};

/** Number of calls of `retryParts`. */
let round = 0;

/** Lets the parts that could not be loaded be requested again when they are rendered. */
export function retryParts(): void {
  round += 1;
}

/** Returns a component that is loaded in a file of its own when it is first rendered. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loading: Promise<ComponentType<Props>> | null = null;
  let failedIn = -1;
  return function Part(props: Props) {
    if (loading === null || (failedIn !== -1 && failedIn !== round)) {
      failedIn = -1;
      loading = loadPart(load, BROWSER);
      loading.catch(() => {
        failedIn = round;
      });
    }
    const Content = use(loading);
    return <Content {...props} />;
  };
}
