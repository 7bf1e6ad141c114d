/** A process that can be paused and killed. Messages to a paused process wait; those to a dead one are lost. */
export class ProcessModel {
  #isUp = true;
  #isPaused = false;
  /** Increases with each start. */
  #incarnation = 1;
  #waiting: (() => void)[] = [];

  get isUp(): boolean {
    return this.#isUp;
  }

  get isRunning(): boolean {
    return this.#isUp && !this.#isPaused;
  }

  get incarnation(): number {
    return this.#incarnation;
  }

  /** Runs now, at the end of a pause, or never if the process has ended. */
  deliver(run: () => void): void {
    if (!this.#isUp) return;
    if (this.#isPaused) this.#waiting.push(run);
    else run();
  }

  /** Like `deliver`, but only to the process of that start. */
  deliverTo(incarnation: number, run: () => void): void {
    if (incarnation === this.#incarnation) this.deliver(run);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) this.deliver(run);
  }

  kill(): void {
    this.#isUp = false;
    this.#isPaused = false;
    this.#waiting = [];
  }

  start(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#incarnation++;
  }
}
