/** Resources that one task holds of a worker besides its cores. */
export interface Holding {
  /** By name in lower case, each above 0, with at most three decimals. Absent: none. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Indices of the GPUs that the task runs on, ascending from 0. Absent: none. */
  readonly gpus?: readonly number[];
  /** Version of the farm's setting by which it was booked. Absent if nothing is held. */
  readonly policyVersion?: number;
}

/** Returns what a booking holds besides cores, or null for nothing. */
export function holdingOf({ amounts, gpus, policyVersion }: Holding): Holding | null {
  if (amounts === undefined && gpus === undefined) return null;
  return {
    ...(amounts !== undefined && { amounts }),
    ...(gpus !== undefined && { gpus }),
    ...(policyVersion !== undefined && { policyVersion }),
  };
}
