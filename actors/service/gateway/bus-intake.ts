import type { AttemptId, FarmId, JobId, WorkerId } from '../../../src/core/ids.ts';
import type { Delivery, ServiceBus, ServiceBusListener } from '../../../src/core/ports/bus.ts';
import type { LeaseWait } from '../../../src/core/metrics/lease-waits.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { LeaseRequest, PresenceMessage, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerIdentity } from '../farm/messages.ts';
import type { ServiceEnvelope } from '../service-messages.ts';
import { leaseReply, presenceReply } from './reply-address.ts';
import { acceptReports, type ReportPorts } from './accept-reports.ts';

/** Maximum number of jobs in the ownership cache, which saves a store read per status report. */
const CACHED_JOBS_MAX = 100_000;

const NO_ATTEMPTS: readonly AttemptId[] = [];

/** Measures of what the bus delivers. */
interface IntakeMeter {
  leaseRequested(): LeaseWait;
  /** Every message that the request has caused directly is processed. */
  leaseSettled(inbox: string, wait: LeaseWait): void;
  /** `deliveryNumber` is 1 for the first delivery of a message. */
  delivered(stream: 'status' | 'presence', deliveryNumber: number): void;
}

export interface BusIntakeOptions {
  readonly reader: StoreReader;
  /** Reports whether the farm belongs to this shard. True on exactly one shard for any text. */
  readonly ownsFarm: (farm: string) => boolean;
  /** The first shard answers messages that belong to no farm. */
  readonly isFirstShard: boolean;
  /** Proof of the identity of a worker on this bus. */
  readonly identity: WorkerIdentity['kind'];
  readonly meter: IntakeMeter;
  readonly bus: () => ServiceBus;
  readonly post: (envelope: ServiceEnvelope, onProcessed: (() => void) | null) => void;
}

/**
 * Turns messages of the bus into messages to actors. Every shard receives every message and handles those of its own
 * farms. A message of a stream is acknowledged when all of its changes are on disk, or at once if another shard handles
 * it.
 */
export class BusIntake implements Omit<ServiceBusListener, 'busChanged'> {
  private readonly options: BusIntakeOptions;
  private readonly ownJobs = new Map<JobId, boolean>();
  private readonly reportPorts: ReportPorts;

  constructor(options: BusIntakeOptions) {
    this.options = options;
    this.reportPorts = { ownsJob: (job) => this.ownsJob(job), post: options.post };
  }

  readonly leaseRequested: ServiceBusListener['leaseRequested'] = (request, queue, inbox) => {
    if (!this.options.ownsFarm(request.farm_id)) return;
    const { meter } = this.options;
    const reports = this.acceptPiggybacked(request, inbox);
    const wait = meter.leaseRequested();
    this.options.post(
      {
        actor: 'lease',
        id: request.farm_id,
        message: {
          type: 'lease.requested',
          workerId: request.worker_id,
          farmId: request.farm_id,
          incarnation: request.incarnation,
          queue,
          replyTo: leaseReply(inbox, reports, wait),
        },
      },
      () => meter.leaseSettled(inbox, wait),
    );
  };

  readonly presenceAnnounced = (delivery: Delivery<PresenceMessage>): void => {
    this.options.meter.delivered('presence', delivery.deliveryNumber);
    const { message } = delivery;
    const farm = message.type === 'register' ? this.findFarm(message.farm) : message.farm_id;
    if (typeof farm === 'object') {
      if (this.options.isFirstShard) {
        this.options.bus().answerPresence(message.reply_to, { v: 1, type: 'refused', reason: farm.reason });
      }
      delivery.acknowledge();
      return;
    }
    if (!this.options.ownsFarm(farm)) {
      delivery.acknowledge();
      return;
    }
    this.options.post(this.envelopeOf(message, farm), () => delivery.acknowledge());
  };

  readonly statusReported = (delivery: Delivery<StatusMessage>): void => {
    this.options.meter.delivered('status', delivery.deliveryNumber);
    const { message } = delivery;
    acceptReports(
      {
        workerId: message.worker_id,
        reports: [message],
        confirmation: { kind: 'acknowledge', acknowledge: () => delivery.acknowledge() },
      },
      this.reportPorts,
    );
  };

  /** Accepts the reports of a lease request. Returns the attempts that the reply may confirm. */
  private acceptPiggybacked(request: LeaseRequest, inbox: string): readonly AttemptId[] {
    const { worker_id: workerId, reports } = request;
    if (reports === undefined) return NO_ATTEMPTS;
    return acceptReports(
      { workerId, reports, confirmation: { kind: 'lease-reply', inbox } },
      this.reportPorts,
    );
  }

  /** Returns the farm with this id or name, or the only farm if the text is empty; otherwise why there is none. */
  private findFarm(text: string): FarmId | { readonly reason: string } {
    const farms = [...this.options.reader.scan('farm')].map((row) => row.value);
    if (text === '') {
      const [only, ...others] = farms;
      if (only === undefined) return { reason: 'the service has no farm yet' };
      if (others.length > 0)
        return { reason: 'the service has several farms: set worker.farm to one of them' };
      return only.id;
    }
    const farm = farms.find((each) => each.id === text) ?? farms.find((each) => each.name === text);
    return farm?.id ?? { reason: `the service has no farm ${JSON.stringify(text)}` };
  }

  private envelopeOf(message: PresenceMessage, farm: FarmId): ServiceEnvelope {
    if (message.type !== 'register') return messageOf(message);
    const identity = this.identityOf(message.worker_id);
    return {
      actor: 'farm',
      id: farm,
      message: {
        type: 'worker.register',
        registration: message,
        identity,
        replyTo: presenceReply(message.reply_to),
      },
    };
  }

  private identityOf(worker: WorkerId): WorkerIdentity {
    const kind = this.options.identity;
    return kind === 'joined'
      ? {
          kind,
          credential: this.options.reader.get('workerCredential', keys.workerCredential(worker)) ?? null,
        }
      : { kind };
  }

  private ownsJob(job: JobId): boolean {
    const known = this.ownJobs.get(job);
    if (known !== undefined) return known;
    const record = this.options.reader.get('job', job);
    // Exactly one shard handles reports of an unknown job and logs them.
    if (record === undefined) return this.options.isFirstShard;
    const isOwn = this.options.ownsFarm(record.farmId);
    if (this.ownJobs.size >= CACHED_JOBS_MAX) this.ownJobs.clear();
    this.ownJobs.set(job, isOwn);
    return isOwn;
  }
}

function messageOf(message: Exclude<PresenceMessage, { type: 'register' }>): ServiceEnvelope {
  const replyTo = presenceReply(message.reply_to);
  const worker: WorkerId = message.worker_id;
  switch (message.type) {
    case 'heartbeat':
      return {
        actor: 'worker',
        id: worker,
        message: { type: 'worker.heartbeat', heartbeat: message, replyTo },
      };
    case 'deregister':
      return {
        actor: 'worker',
        id: worker,
        message: { type: 'worker.deregister', departure: message, replyTo },
      };
  }
}
