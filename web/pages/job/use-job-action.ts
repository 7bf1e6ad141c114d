import { useState } from 'react';
import { toasts } from '../../state/toasts.ts';

/** Does something to the job once at a time. `what` says it for the case that it fails: "Pause the job". */
export function useJobAction(
  onChanged: () => void,
): readonly [isBusy: boolean, run: (what: string, act: () => Promise<string>) => void] {
  const [isBusy, setIsBusy] = useState(false);
  const run = (what: string, act: () => Promise<string>): void => {
    if (isBusy) return;
    setIsBusy(true);
    act()
      .then(
        (done) => toasts.done(done),
        (error: unknown) => toasts.failed(error, what),
      )
      .finally(() => {
        setIsBusy(false);
        onChanged();
      });
  };
  return [isBusy, run];
}
