/** Returns a cap on concurrent tasks as text; 0 is none. */
export const capText = (cap: number): string =>
  cap === 0 ? 'no cap' : `at most ${cap.toLocaleString('en')}`;
