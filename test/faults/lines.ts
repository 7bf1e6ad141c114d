/** What is cut: both ways, or only one of them. */
export const PARTITION_MODES = ['both', 'to-bus', 'from-bus'] as const;
export type Cut = (typeof PARTITION_MODES)[number];

/** The way of one worker to the bus. */
export interface Line {
  /** What the worker is told as `bus.url`. */
  readonly busUrl: string;
  /** What the daemon is started with. */
  readonly launcher: readonly string[];
  /** Nothing arrives any more, and nobody is told. */
  cut(direction: Cut): void;
  /** What is sent from now on arrives. */
  heal(): void;
}

/** The network between the bus and its workers. */
export interface Network {
  readonly kind: 'network namespaces' | 'proxies';
  /** Where the managed bus is to listen, for `bus.addr`. */
  readonly busAddress: string;
  line(): Promise<Line>;
  close(): Promise<void>;
}
