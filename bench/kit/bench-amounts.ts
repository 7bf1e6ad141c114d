/** Amounts besides cores that workers of a swarm have, and that a farm can book. The last three are custom ones. */
export const BENCH_AMOUNTS = [
  'amount.worker.memory',
  'amount.bench.seats',
  'amount.bench.cache',
  'amount.bench.bandwidth',
] as const;

/** The custom amounts of each worker. */
export const CUSTOM_AMOUNTS: Readonly<Record<string, number>> = Object.fromEntries(
  BENCH_AMOUNTS.slice(1).map((name) => [name, 1000]),
);
