/**
 * The time of day that does not jump under the actors' feet: it runs with the monotonic clock and follows the wall
 * clock in one step when the two have come apart. A step, or a tick that came far too late, is a gap: what was not
 * heard meanwhile proves nothing (D10 of docs/dependency-hazards.md; F19, F20 of docs/faults.md).
 */
export class StableWallClock {
  static readonly tickMs = 1000;
  /** A tick this late means that the thread did not run. */
  private static readonly stallMs = 5000;
  /** The wall clock may be this far off before it is followed. */
  private static readonly driftMs = 1000;

  private readonly readWall: () => number;
  private readonly readMonotonic: () => number;
  private offset: number;
  private lastTick: number;

  /** Both give milliseconds: since the epoch, and since an arbitrary start. */
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

  /** To be called at least each `tickMs`, and before timers are believed. The length of the gap in milliseconds when there was one since the last tick, else null. */
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
