import { AGENT_LIMITS } from '../../actors/agent/agent-limits.ts';
import type { AttemptId } from '../../src/core/ids.ts';
import type { LogMessage } from '../../src/core/wire/bus-messages.ts';
import { Violation } from './violation.ts';

const DROPPED = /^\[callsheet\] (\d+) lines \(\d+ bytes\) of output were dropped here/;

/** The log of every attempt, as the bus has taken it: each chunk once, whatever came twice. */
export class LogBook {
  private readonly broken = new Set<AttemptId>();
  private readonly chunks = new Map<AttemptId, Map<number, string>>();

  take({ attempt_id: attemptId, seq_num: number, data }: LogMessage): void {
    const ofAttempt = this.chunks.get(attemptId) ?? new Map<number, string>();
    this.chunks.set(attemptId, ofAttempt);
    const known = ofAttempt.get(number);
    if (known !== undefined && known !== data)
      throw new Violation('a log chunk that comes twice says the same', `${attemptId}, ${number}`);
    ofAttempt.set(number, data);
  }

  /** The daemon has died before the bus had all that it was to have, or has given up what was left: the end of this log may be missing. */
  brokenOff(attemptId: AttemptId): void {
    this.broken.add(attemptId);
  }

  /** Every line is there in its order, or a mark in place of it. */
  check(): void {
    for (const [attemptId, chunks] of this.chunks) {
      const all = [...chunks.keys()].sort((a, b) => a - b);
      const firstMissing = all.findIndex((number, index) => number !== index + 1);
      // Chunks that were sent together may have come without one before them, when nobody could send that one again.
      const isTorn = this.broken.has(attemptId) && all.length - firstMissing < AGENT_LIMITS.logChunksAtOnce;
      const numbers = firstMissing >= 0 && isTorn ? all.slice(0, firstMissing) : all;
      if (numbers.length === all.length && firstMissing >= 0)
        throw new Violation('the chunks of a log have no gaps', `${attemptId}: ${numbers.join(' ')}`);
      checkLines(attemptId, numbers.map((number) => chunks.get(number)).join(''));
    }
  }
}

function checkLines(attemptId: AttemptId, text: string): void {
  let last: number | null = null;
  let dropped = 0;
  for (const line of text.split('\n')) {
    const mark = DROPPED.exec(line)?.[1];
    if (mark !== undefined) dropped += Number(mark);
    const number = Number(/^\S+ (\d+)$/.exec(line)?.[1] ?? NaN);
    if (Number.isNaN(number)) continue;
    if (last !== null && number !== last + 1 + dropped) {
      const detail = `${attemptId}: line ${number} after ${last}, with ${dropped} said to be dropped`;
      throw new Violation('the lines of a log are whole, or a mark says what is missing', detail);
    }
    last = number;
    dropped = 0;
  }
}
