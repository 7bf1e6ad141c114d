import { useEffect, useState } from 'react';
import { Throttle } from './throttle.ts';

/** Returns a function that runs an action at most once per `everyMs` while the component is mounted. */
export function useThrottle(everyMs: number): (act: () => void) => void {
  const [throttle] = useState(() => new Throttle(everyMs));
  useEffect(() => throttle.close, [throttle]);
  return throttle.run;
}
