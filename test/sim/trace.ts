/** Trace of events in order: a hash of all lines, and the lines themselves on request. */
export class Trace {
  readonly lines: string[] = [];
  private readonly keeps: boolean;
  private readonly now: () => number;
  private hash = 0x811c9dc5;
  private events = 0;

  constructor(now: () => number, keeps: boolean) {
    this.now = now;
    this.keeps = keeps;
  }

  get length(): number {
    return this.events;
  }

  /** Equal for two runs with the same events at the same times. */
  get digest(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0');
  }

  note(...parts: readonly (string | number)[]): void {
    this.events++;
    this.mix(String(this.now()));
    for (const part of parts) this.mix(String(part));
    if (this.keeps) this.lines.push(`${(this.now() / 1000).toFixed(3).padStart(9)} ${parts.join(' ')}`);
  }

  private mix(text: string): void {
    for (let at = 0; at < text.length; at++) {
      this.hash = Math.imul(this.hash ^ text.charCodeAt(at), 0x01000193);
    }
    this.hash = Math.imul(this.hash ^ 0x20, 0x01000193);
  }
}
