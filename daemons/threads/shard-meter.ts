import { EventLoopWatch } from '../../src/adapters/system/event-loop-lag.ts';
import { LEASE_HOLD_MS } from '../../actors/service/service-system.ts';
import { Buckets, SECONDS_BOUNDS } from '../../src/core/metrics/buckets.ts';
import { LeaseWaits, type LeaseWait } from '../../src/core/metrics/lease-waits.ts';
import { StateCounter } from '../../src/core/metrics/state-counts.ts';
import { jobId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { Change } from '../../src/core/records/change-set.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { LeaseReply } from '../../src/core/wire/bus-messages.ts';
import type { LeaseAddress } from '../../actors/service/gateway/reply-address.ts';
import type { ShardMeasures } from './shard-protocol.ts';

/** Time after which a lease request without a reply counts as lost. */
const LOST_AFTER_MS = 2 * LEASE_HOLD_MS;

/** Measures a shard at the inputs and outputs of its kernel. Actors do not depend on it. */
export class ShardMeter {
  private readonly state = new StateCounter();
  private readonly leases = new LeaseWaits(LOST_AFTER_MS);
  private readonly commits = new Buckets(SECONDS_BOUNDS);
  private redeliveries = { status: 0, presence: 0 };
  private readonly watch = new EventLoopWatch();

  /** Counts the stored jobs and workers of the shard's farms. */
  constructor(reader: StoreReader, ownsFarm: (farm: string) => boolean) {
    for (const { value: farm } of reader.scan('farm')) {
      if (!ownsFarm(farm.id)) continue;
      const prefix = keys.activeJobsOf(farm.id);
      for (const { key } of reader.scan('activeJob', { prefix })) {
        const id = jobId(key.slice(prefix.length));
        this.state.noteJob(id, reader.get('job', id) ?? null);
      }
    }
    for (const { key, value: worker } of reader.scan('worker')) {
      if (!ownsFarm(worker.farmId)) continue;
      this.state.noteWorker(key, worker);
      this.state.noteBooking(key, reader.get('booking', key) ?? null);
    }
  }

  /** Starts to measure a commit. Call the returned function when it is durable. */
  committing(changes: readonly Change[]): () => void {
    const startedAt = performance.now();
    return () => {
      this.commits.observe((performance.now() - startedAt) / 1000);
      this.state.apply(changes);
    };
  }

  /** Counts a lease request. */
  leaseRequested(): LeaseWait {
    return this.leases.requested(performance.now());
  }

  /** Counts a request without a reply as parked: every message that it caused directly is processed. */
  leaseSettled(inbox: string, wait: LeaseWait): void {
    this.leases.settled(inbox, wait);
  }

  leaseAnswered(
    address: Pick<LeaseAddress, 'inbox' | 'wait'>,
    reply: LeaseReply,
    windowStartedAt: number,
  ): void {
    const tasks = reply.type === 'leases' ? reply.assignments.length : 0;
    const answer = reply.type === 'unknown' ? 'unknown' : tasks > 0 ? 'leased' : 'empty';
    this.leases.replied(address, answer, tasks, windowStartedAt, performance.now());
  }

  delivered(stream: 'status' | 'presence', deliveryNumber: number): void {
    if (deliveryNumber > 1) this.redeliveries[stream]++;
  }

  take(): ShardMeasures {
    const { redeliveries } = this;
    this.redeliveries = { status: 0, presence: 0 };
    const leases = this.leases.take(performance.now());
    return {
      state: this.state.counts(),
      parkedRequests: this.leases.parkedRequests,
      leases,
      commits: this.commits.take(),
      redeliveries,
      lag: this.watch.read(),
    };
  }
}
