import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { FrozenRows } from './frozen-rows.ts';

/** Why the rows of a table must not change places now. */
type HoldReason = 'press' | 'shift' | 'menu' | 'hover';

/** A pointer that has not moved for so long does not aim at a row. */
const AIMING_MS = 3_000;

export interface OrderHold<Row> {
  /** The order that is kept; null while rows may move. */
  readonly frozen: FrozenRows<Row> | null;
  readonly hold: (reason: HoldReason) => void;
  readonly release: (reason: HoldReason) => void;
  /** The pointer moved over the rows. */
  readonly aim: () => void;
}

/**
 * Keeps the order of the rows while somebody aims at one of them: a pointer is moving or pressed, shift is held, a menu is open. `capture`
 * gives the rows as they are drawn now.
 */
export function useOrderHold<Row>(capture: () => FrozenRows<Row>): OrderHold<Row> {
  const [frozen, setFrozen] = useState<FrozenRows<Row> | null>(null);
  const reasons = useRef(new Set<HoldReason>());
  const aiming = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const hold = (reason: HoldReason): void => {
    if (reasons.current.size === 0) setFrozen(capture());
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

  const shiftDown = useEffectEvent(() => hold('shift'));
  const releaseOn = useEffectEvent((reason: HoldReason) => release(reason));
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      if (event.key === 'Shift') shiftDown();
    };
    const up = (event: KeyboardEvent): void => {
      if (event.key === 'Shift') releaseOn('shift');
    };
    const left = (): void => releaseOn('shift');
    const unpressed = (): void => releaseOn('press');
    addEventListener('keydown', down);
    addEventListener('keyup', up);
    addEventListener('blur', left);
    addEventListener('pointerup', unpressed);
    addEventListener('pointercancel', unpressed);
    return () => {
      removeEventListener('keydown', down);
      removeEventListener('keyup', up);
      removeEventListener('blur', left);
      removeEventListener('pointerup', unpressed);
      removeEventListener('pointercancel', unpressed);
    };
  }, []);
  useEffect(() => () => clearTimeout(aiming.current), []);

  return { frozen, hold, release, aim };
}
