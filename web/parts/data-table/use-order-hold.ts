import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react';
import type { RowSource } from './column.ts';
import { frozenRows, type FrozenRows } from './frozen-rows.ts';
import type { RowRange } from './use-drawn-rows.ts';

/** Reason to keep the rows of a table in place. */
type HoldReason = 'press' | 'shift' | 'menu' | 'hover';

/** A pointer that rests for this long no longer holds the order. */
const AIMING_MS = 3_000;

export interface OrderHold<Row> {
  /** Rows in the order that is kept; null while rows may move. */
  readonly frozen: FrozenRows<Row> | null;
  readonly hold: (reason: HoldReason) => void;
  readonly release: (reason: HoldReason) => void;
  /** Holds the order for a pointer that moves over the rows. */
  readonly aim: () => void;
}

/**
 * Keeps the order of the rows while the user is about to click one: a pointer is moving or pressed, Shift is held, or a
 * menu is open. `drawn` holds the range of rows in view.
 */
export function useOrderHold<Row>(rows: RowSource<Row>, drawn: RefObject<RowRange>): OrderHold<Row> {
  const [frozen, setFrozen] = useState<FrozenRows<Row> | null>(null);
  const reasons = useRef(new Set<HoldReason>());
  const aiming = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const hold = (reason: HoldReason): void => {
    if (reasons.current.size === 0) setFrozen(frozenRows(rows, drawn.current.first, drawn.current.last));
    reasons.current.add(reason);
  };
  const release = (reason: HoldReason): void => {
    if (!reasons.current.delete(reason)) return;
    if (reason === 'hover') clearTimeout(aiming.current);
    if (reasons.current.size === 0) setFrozen(null);
  };
  const aim = (): void => {
    hold('hover');
    clearTimeout(aiming.current);
    aiming.current = setTimeout(() => release('hover'), AIMING_MS);
  };

  const holdOnShift = useEffectEvent(() => hold('shift'));
  const releaseOn = useEffectEvent((reason: HoldReason) => release(reason));
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      if (event.key === 'Shift') holdOnShift();
    };
    const up = (event: KeyboardEvent): void => {
      if (event.key === 'Shift') releaseOn('shift');
    };
    const blurred = (): void => releaseOn('shift');
    const pointerEnded = (): void => releaseOn('press');
    addEventListener('keydown', down);
    addEventListener('keyup', up);
    addEventListener('blur', blurred);
    addEventListener('pointerup', pointerEnded);
    addEventListener('pointercancel', pointerEnded);
    return () => {
      removeEventListener('keydown', down);
      removeEventListener('keyup', up);
      removeEventListener('blur', blurred);
      removeEventListener('pointerup', pointerEnded);
      removeEventListener('pointercancel', pointerEnded);
    };
  }, []);
  useEffect(() => () => clearTimeout(aiming.current), []);

  return { frozen, hold, release, aim };
}
