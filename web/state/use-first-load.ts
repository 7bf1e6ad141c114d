import { useEffect, useRef, useState } from 'react';

/** Time after which a page loads without its subscriptions, in milliseconds: the event channel may be unreachable. */
const WAIT_MS = 500;

export interface FirstLoad {
  /** True once the page may send its first requests. */
  readonly isOpen: boolean;
  /**
   * Reports that a subscription began. Returns whether the page must load its data again: false if its first requests
   * have not been sent yet.
   */
  readonly began: () => boolean;
}

/**
 * Delays the first requests of a page until its subscriptions have begun, for at most half a second. What is loaded then
 * is complete together with the later events, so the page need not load everything a second time.
 *
 * @param subscriptions - Number of subscriptions that report their beginning.
 */
export function useFirstLoad(subscriptions: number): FirstLoad {
  const left = useRef(subscriptions);
  const [isOpen, setIsOpen] = useState(subscriptions === 0);
  useEffect(() => {
    if (isOpen) return undefined;
    const timer = setTimeout(() => setIsOpen(true), WAIT_MS);
    return () => clearTimeout(timer);
  }, [isOpen]);
  const began = (): boolean => {
    if (isOpen) return true;
    left.current -= 1;
    if (left.current <= 0) setIsOpen(true);
    return false;
  };
  return { isOpen, began };
}
