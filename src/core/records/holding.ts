/** Resources that one task holds of a worker besides its cores. */
export interface Holding {
  /** By name in lower case, each above 0, with at most three decimals. Absent: none. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Indices of the GPUs that the task runs on, ascending from 0. Absent: none. */
  readonly gpus?: readonly number[];
  /** Version of the farm's setting by which it was booked. Absent if nothing is held. */
  readonly policyVersion?: number;
}

/** Reports whether a booking holds something besides cores. */
export const holdsAmounts = ({ amounts, gpus }: Holding): boolean =>
  amounts !== undefined || gpus !== undefined;

/** Returns what a booking holds besides cores, or null for nothing. */
export function holdingOf(booking: Holding): Holding | null {
  if (!holdsAmounts(booking)) return null;
  const { amounts, gpus, policyVersion } = booking;
  return {
    ...(amounts !== undefined && { amounts }),
    ...(gpus !== undefined && { gpus }),
    ...(policyVersion !== undefined && { policyVersion }),
  };
}
