/** The two keys that go to another page: `g` and the key of the page. Other shortcuts leave the second key alone. */

/** Maximum time between the keys. */
const SEQUENCE_MS = 1_200;

let beganAt = -Infinity;

export const goSequence = {
  begin: (): void => {
    beganAt = performance.now();
  },
  end: (): void => {
    beganAt = -Infinity;
  },
  /** Reports whether the next key is the second one. */
  isPending: (): boolean => performance.now() - beganAt < SEQUENCE_MS,
};
