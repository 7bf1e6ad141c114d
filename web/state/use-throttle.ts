import { useEffect, useState } from 'react';
import { Throttle } from './throttle.ts';

/**
 * Returns a function that runs an action at most once per `everyMs` while the component is mounted. Calls within `leadMs`
 * of the first one are one call.
 */
export function useThrottle(everyMs: number, leadMs = 0): (act: () => void) => void {
  const [throttle] = useState(() => new Throttle(everyMs, leadMs));
  useEffect(() => throttle.close, [throttle]);
  return throttle.run;
}
