import { useRef, useState } from 'react';
import { runBulk, type BulkOutcome } from '../../../client/bulk.ts';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';

/** `confirm` -> `running` -> `finished`, or back to `confirm` with an error. A run without refusals closes its dialog. */
export type BulkStage =
  | { readonly kind: 'confirm' }
  | { readonly kind: 'running'; readonly text: string; readonly share: number }
  | { readonly kind: 'finished'; readonly outcome: BulkOutcome };

export interface BulkRun {
  readonly stage: BulkStage;
  /** Why the last run failed; null if it did not. */
  readonly error: unknown;
  readonly start: () => Promise<void>;
  /** Stops after the current request. */
  readonly stop: () => void;
}

/** Applies an action to all rows of a target and keeps track of its progress. */
export function useBulkRun<Row>(options: {
  readonly target: BulkTarget<Row>;
  /** The plural of the rows: "jobs". */
  readonly what: string;
  readonly formatCount: (count: number) => string;
  readonly send: Parameters<typeof runBulk>[1];
  /** Called after each run, also after a failed one. */
  readonly onChanged: () => void;
  /** Called if every row was changed. */
  readonly onDone: (outcome: BulkOutcome) => void;
}): BulkRun {
  const { target, what, formatCount, send, onChanged, onDone } = options;
  const [stage, setStage] = useState<BulkStage>({ kind: 'confirm' });
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);
  const report = (text: string, share: number): void => setStage({ kind: 'running', text, share });

  const start = async (): Promise<void> => {
    isStopped.current = false;
    setError(null);
    report(`Finding ${what}`, 0);
    try {
      const ids = await target.ids((collected) =>
        report(`Found ${formatCount(collected)}`, collected / Math.max(1, target.count)),
      );
      const outcome = await runBulk(ids, send, {
        progress: (count) =>
          report(
            `${count.toLocaleString('en')} of ${formatCount(ids.length)}`,
            count / Math.max(1, ids.length),
          ),
        isStopped: () => isStopped.current,
      });
      onChanged();
      if (outcome.refused.length === 0 && outcome.left === 0) onDone(outcome);
      else setStage({ kind: 'finished', outcome });
    } catch (reason) {
      onChanged();
      setError(reason);
      setStage({ kind: 'confirm' });
    }
  };
  return { stage, error, start, stop: () => (isStopped.current = true) };
}
