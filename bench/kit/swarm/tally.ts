import { Samples } from './samples.ts';
import type { SwarmFigures } from './swarm-protocol.ts';

/** Common counts of the workers of a swarm during the measured time. */
export class Tally {
  readonly latencies = new Samples();
  replies = 0;
  emptyReplies = 0;
  leases = 0;
  cycles = 0;
  unconfirmed = 0;
  requests = 0;
  requestBytes = 0;
  replyBytes = 0;
  private startedAt = 0;
  private cpuAtStart = process.cpuUsage();

  begin(): void {
    this.latencies.clear();
    this.replies = 0;
    this.emptyReplies = 0;
    this.leases = 0;
    this.cycles = 0;
    this.unconfirmed = 0;
    this.requests = 0;
    this.requestBytes = 0;
    this.replyBytes = 0;
    this.cpuAtStart = process.cpuUsage();
    this.startedAt = performance.now();
  }

  /** Counts a reply with the requested data, after n milliseconds. */
  replied(latencyMs: number, bytes: number): void {
    this.replies++;
    this.replyBytes += bytes;
    this.latencies.add(latencyMs);
  }

  /** Call it when the time has ended: returns the counts and times of this moment. */
  end(): SwarmFigures {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const cpu = process.cpuUsage(this.cpuAtStart);
    return {
      seconds,
      replies: this.replies,
      emptyReplies: this.emptyReplies,
      leases: this.leases,
      cycles: this.cycles,
      unconfirmed: this.unconfirmed,
      latencyMs: this.latencies.latencies(),
      cpuSeconds: (cpu.user + cpu.system) / 1e6,
      requestBytes: mean(this.requestBytes, this.requests),
      replyBytes: mean(this.replyBytes, this.replies),
    };
  }
}

const mean = (sum: number, count: number): number => (count === 0 ? 0 : Math.round(sum / count));
