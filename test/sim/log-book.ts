import { AGENT_LIMITS } from '../../actors/agent/agent-limits.ts';
import type { AttemptId } from '../../src/core/ids.ts';
import type { LogMessage } from '../../src/core/wire/bus-messages.ts';
import { Violation } from './violation.ts';

const DROPPED = /^\[callsheet\] (\d+) lines \(\d+ bytes\) of output were dropped here/;

/** The log of every attempt as stored by the bus: each chunk once, without duplicates. */
export class LogBook {
  private readonly broken = new Set<AttemptId>();
  private readonly chunks = new Map<AttemptId, Map<number, string>>();

  take({ attempt_id: attemptId, seq_num: number, data }: LogMessage): void {
    const ofAttempt = this.chunks.get(attemptId) ?? new Map<number, string>();
    this.chunks.set(attemptId, ofAttempt);
    const known = ofAttempt.get(number);
    if (known !== undefined && known !== data)
      throw new Violation('a duplicate log chunk has the same content', `${attemptId}, ${number}`);
    ofAttempt.set(number, data);
  }

  /**
   * The daemon has ended before all chunks were stored, or has given up on the rest: the end of this log may be
   * missing.
   */
  cutOff(attemptId: AttemptId): void {
    this.broken.add(attemptId);
  }

  /** Asserts that every log has all lines in order, or a mark in place of missing ones. */
  check(): void {
    for (const [attemptId, chunks] of this.chunks) {
      const all = [...chunks.keys()].sort((a, b) => a - b);
      const firstMissing = all.findIndex((number, index) => number !== index + 1);
      // Chunks that were sent together may be stored without an earlier one if the daemon could not send that again.
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
      const detail = `${attemptId}: line ${number} after ${last}, marks count ${dropped} dropped lines`;
      throw new Violation('the lines of a log are complete, or a mark counts the missing ones', detail);
    }
    last = number;
    dropped = 0;
  }
}
