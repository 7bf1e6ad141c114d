/** Direction of the cut: both, or only one. */
export const PARTITION_MODES = ['both', 'to-bus', 'from-bus'] as const;
export type Cut = (typeof PARTITION_MODES)[number];

/** The network connection of one worker to the bus. */
export interface Line {
  /** Value of `bus.url` for the worker. */
  readonly busUrl: string;
  /** Command prefix that starts the daemon. */
  readonly launcher: readonly string[];
  /** Drops all packets from now on, without an error at either end. */
  cut(direction: Cut): void;
  /** Delivers packets again from now on. */
  heal(): void;
}

/** The network between the bus and its workers. */
export interface Network {
  readonly kind: 'network namespaces' | 'proxies';
  /** Listening address of the managed bus, for `bus.addr`. */
  readonly busAddress: string;
  line(): Promise<Line>;
  close(): Promise<void>;
}
