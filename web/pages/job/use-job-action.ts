import { useState } from 'react';
import { toasts } from '../../state/toasts.ts';

/**
 * Runs one action at a time and reports its result in a toast, unless it is null. `failure` is the title if it fails: "Could not pause the job".
 */
export function useJobAction(
  onChanged: () => void,
): readonly [isBusy: boolean, run: (failure: string, act: () => Promise<string | null>) => void] {
  const [isBusy, setIsBusy] = useState(false);
  const run = (failure: string, act: () => Promise<string | null>): void => {
    if (isBusy) return;
    setIsBusy(true);
    act()
      .then(
        (done) => {
          if (done !== null) toasts.done(done);
        },
        (error: unknown) => toasts.failed(error, failure),
      )
      .finally(() => {
        setIsBusy(false);
        onChanged();
      });
  };
  return [isBusy, run];
}
