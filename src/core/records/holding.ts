/** Resources that one task holds of a worker besides its cores. */
export interface Holding {
  /** By name in lower case, each above 0, with at most three decimals. Absent: none. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Indices of the GPUs that the task runs on, ascending from 0. Absent: none. */
  readonly gpus?: readonly number[];
}

/** Returns what a booking holds besides cores, or null for nothing. */
export function holdingOf({ amounts, gpus }: Holding): Holding | null {
  if (gpus !== undefined) return amounts === undefined ? { gpus } : { amounts, gpus };
  return amounts === undefined ? null : { amounts };
}
