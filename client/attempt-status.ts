import type { Attempt } from './resources.ts';

/** Returns the status of an attempt as pages and commands show it: a reclaimed attempt is not a failure of its task. */
export const shownStatusOf = ({ status, reclaimed }: Attempt): Attempt['status'] =>
  reclaimed === true ? 'canceled' : status;
