import { useEffect, useState } from 'react';
import { Throttle } from './throttle.ts';

/** Gives what does a deed at most once in `everyMs`, for as long as the component is shown. */
export function useThrottle(everyMs: number): (act: () => void) => void {
  const [throttle] = useState(() => new Throttle(everyMs));
  useEffect(() => throttle.close, [throttle]);
  return throttle.run;
}
