import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks';

/** Lag of a thread's event loop since the last reading, in seconds. */
export interface EventLoopLag {
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

const RESOLUTION_MS = 20;
const NANOS_PER_SECOND = 1e9;
const NO_LAG: EventLoopLag = { mean: 0, p99: 0, max: 0 };

/** Measures the event loop of the creating thread. Keeps no thread alive. */
export class EventLoopWatch {
  private readonly histogram: IntervalHistogram;

  constructor() {
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
  }

  /** Returns the lag since the last reading. */
  read(): EventLoopLag {
    const { count, mean, max } = this.histogram;
    const lag =
      count === 0 ? NO_LAG : { mean: late(mean), p99: late(this.histogram.percentile(99)), max: late(max) };
    this.histogram.reset();
    return lag;
  }
}

/** The histogram contains the time between two samples, which is the resolution if there is no lag. */
const late = (nanos: number): number => Math.max(0, nanos / NANOS_PER_SECOND - RESOLUTION_MS / 1000);
