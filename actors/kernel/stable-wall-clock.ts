/**
 * Invariants: between two ticks the time runs with the monotonic clock; only `tick` changes the offset, and reports a
 * step as a gap. Exits: none.
 */

/**
 * Time of day without small jumps for the actors. Runs with the monotonic clock and follows the wall clock in one step
 * when the two differ too much. Such a step, or a tick that is far too late, is a gap: silence of others during a gap
 * proves nothing (D10 of docs/dependency-hazards.md; F19, F20 of docs/faults.md).
 */
export class StableWallClock {
  static readonly tickMs = 1000;
  /** A tick this late means that the thread did not run. */
  private static readonly stallMs = 5000;
  /** The clock follows the wall clock when the two differ by more than this. */
  private static readonly driftMs = 1000;

  private readonly readWall: () => number;
  private readonly readMonotonic: () => number;
  private offset: number;
  private lastTick: number;

  /** Both readers return milliseconds: since the epoch, and since an arbitrary start. */
  constructor(readWall: () => number, readMonotonic: () => number) {
    this.readWall = readWall;
    this.readMonotonic = readMonotonic;
    this.lastTick = readMonotonic();
    this.offset = readWall() - this.lastTick;
  }

  /** Milliseconds since the epoch, whole. */
  wall(): number {
    return Math.round(this.readMonotonic() + this.offset);
  }

  /**
   * Detects gaps. Call it at least every `tickMs`, and before timers run. Returns the length in milliseconds of the gap
   * since the last tick, or null for none.
   */
  tick(): number | null {
    const monotonic = this.readMonotonic();
    const late = monotonic - this.lastTick - StableWallClock.tickMs;
    this.lastTick = monotonic;
    const drift = this.readWall() - (monotonic + this.offset);
    if (Math.abs(drift) > StableWallClock.driftMs) this.offset += drift;
    if (late > StableWallClock.stallMs) return late;
    return Math.abs(drift) > StableWallClock.driftMs ? drift : null;
  }
}
