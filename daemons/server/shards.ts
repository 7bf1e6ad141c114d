import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import type { FarmId, JobId } from '../../src/core/ids.ts';
import type { PlanInParts } from '../../src/core/ports/large-jobs.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { RequestOrigin } from '../../src/core/records/work-cause.ts';
import type { Outcome } from '../../src/core/problems.ts';
import { refused } from '../../src/core/problems.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { endedJobOfKey } from '../../src/core/records/tables.ts';
import { controlOf, type Remote } from '../threads/control-port.ts';
import type { LogDeletion } from '../../actors/service/gateway/outbox-batch.ts';
import { mainThreadReplyTo } from '../../actors/service/gateway/reply-address.ts';
import { shardOfFarm } from '../threads/shard-of-farm.ts';
import {
  SHARD_PROTOCOL_VERSION,
  type ShardCommand,
  type ShardControl,
  type ShardNotice,
  type ShardOptions,
  type SubmitCommand,
} from '../threads/shard-protocol.ts';
import type { LaunchShard } from './shard-workers.ts';

export type ShardSettings = Omit<ShardOptions, 'index' | 'storePort' | 'controlPort'>;

export interface ShardEvents {
  readonly noticed: (shard: number, notice: ShardNotice) => void;
  /** Removes the logs of a deleted job. Resolves when all are removed. */
  readonly deleteLogs: (job: JobId) => Promise<void>;
  /** A shard has ended unexpectedly. The process must end (docs/architecture.md#threads: fail-stop). */
  readonly broken: (shard: number, error: Error) => void;
}

interface Shard {
  readonly worker: Worker;
  readonly control: Remote<ShardControl>;
  readonly controlPort: MessagePort;
  readonly queued: ServiceEnvelope[];
}

/** The shards as the main thread uses them. Requests are sent in batches; answers arrive after the flush. */
export class Shards {
  private readonly shards: readonly Shard[];
  private readonly reader: StoreReader;
  private readonly events: ShardEvents;
  private readonly waiting = new Map<number, (answer: unknown) => void>();
  private nextRequest = 1;
  private isStopping = false;

  /** `storePort` returns the shard's end of a port to the store thread. */
  constructor(
    settings: ShardSettings,
    launch: LaunchShard,
    storePort: (shard: number) => MessagePort,
    reader: StoreReader,
    events: ShardEvents,
  ) {
    this.reader = reader;
    this.events = events;
    this.shards = Array.from({ length: settings.count }, (_, index) =>
      this.start(settings, launch, index, storePort(index)),
    );
  }

  /**
   * Sends the message that `make` builds to its actor, and gives the actor's answer after the commit that made it
   * true. The message's reply address fixes the type of the answer.
   */
  ask<Answer>(
    make: (replyTo: ReplyTo<Outcome<Answer>>) => ServiceEnvelope,
    origin?: RequestOrigin,
  ): Promise<Outcome<Answer>> {
    return this.request((replyTo) => this.post(withOrigin(make(replyTo), origin)));
  }

  /** Sends a message that has no reply. It is lost while the service stops. */
  tell(envelope: ServiceEnvelope): void {
    if (!this.isStopping) this.post(envelope);
  }

  /** Submits a job to its farm and returns the answer as `ask` does. */
  submit(
    farm: FarmId,
    submission: SubmitCommand['submission'],
    plan: PlanInParts,
    origin?: RequestOrigin,
  ): Promise<Outcome<JobRecord>> {
    const shard = this.shards[shardOfFarm(farm, this.shards.length)];
    return this.request((replyTo) => {
      const command = {
        v: SHARD_PROTOCOL_VERSION,
        type: 'submit',
        farm,
        submission,
        plan,
        replyTo,
        origin: origin ?? null,
      } as const;
      shard?.worker.postMessage(command satisfies SubmitCommand);
    });
  }

  /** Tells the shards whether this node of a cluster is certain to own the farms. It is when they start. */
  setOwnership(isCertain: boolean): void {
    const command: ShardCommand = { v: SHARD_PROTOCOL_VERSION, type: 'ownership', isCertain };
    for (const { worker } of this.shards) worker.postMessage(command);
  }

  private request<Answer>(post: (replyTo: ReplyTo<Outcome<Answer>>) => void): Promise<Outcome<Answer>> {
    if (this.isStopping) return Promise.resolve(refused('unavailable', 'the service is stopping'));
    const request = this.nextRequest++;
    return new Promise((resolve) => {
      this.waiting.set(request, (answer) => {
        // The only place where an untyped answer arrives from another thread. The number of the request identifies the
        // ReplyTo<Outcome<Answer>> of the message. The context of the actor has checked the answer against it.
        resolve(answer as Outcome<Answer>);
      });
      post(mainThreadReplyTo(request));
    });
  }

  /** Rejects with the reason of the first shard that does not reach the bus within the time. */
  async checkBus(timeoutMs: number): Promise<void> {
    const reasons = await Promise.all(this.shards.map((shard) => shard.control.checkBus(timeoutMs)));
    const reason = reasons.find((each) => each !== null);
    if (typeof reason === 'string') throw new Error(reason);
  }

  /** Assigns no more tasks and answers the parked lease requests. */
  async stopLeasing(): Promise<void> {
    await Promise.all(this.shards.map((shard) => shard.control.stopLeasing()));
  }

  /**
   * Waits until every shard has processed its messages and all changes are on disk. The threads then end by themselves.
   */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.shards.map((shard) => shard.control.stop()));
    for (const shard of this.shards) {
      shard.controlPort.close();
      shard.worker.unref();
    }
    for (const resolve of this.waiting.values()) resolve(refused('unavailable', 'the service is stopping'));
    this.waiting.clear();
  }

  private start(settings: ShardSettings, launch: LaunchShard, index: number, storePort: MessagePort): Shard {
    const { port1, port2 } = new MessageChannel();
    const options: ShardOptions = { ...settings, index, storePort, controlPort: port2 };
    const worker = launch(options);
    worker.on('message', (notice: ShardNotice) => {
      this.noticed(index, notice);
    });
    worker.on('error', (error) => {
      this.events.broken(index, error);
    });
    worker.on('exit', (code) => {
      if (!this.isStopping)
        this.events.broken(index, new Error(`the thread ended by itself with code ${code}`));
    });
    return { worker, control: controlOf<ShardControl>(port1), controlPort: port1, queued: [] };
  }

  private noticed(index: number, notice: ShardNotice): void {
    this.events.noticed(index, notice);
    if (notice.type === 'capacity-freed') {
      const command: ShardCommand = { v: SHARD_PROTOCOL_VERSION, type: 'capacity-freed', slot: notice.slot };
      for (const shard of notice.shards) this.shards[shard]?.worker.postMessage(command);
    }
    if (notice.type !== 'outbox') return;
    for (const { to, answer } of notice.answers) {
      const resolve = this.waiting.get(to);
      this.waiting.delete(to);
      resolve?.(answer);
    }
    for (const envelope of notice.forwards) this.post(envelope);
    for (const forgotten of notice.logDeletions) void this.forget(index, forgotten);
  }

  private async forget(shard: number, { jobId, farmId }: LogDeletion): Promise<void> {
    try {
      await this.events.deleteLogs(jobId);
      if (this.isStopping) return;
      this.post({ actor: 'purge', id: jobId, message: { type: 'purge.logs-deleted', farmId } });
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      this.events.broken(shard, cause);
    }
  }

  private post(envelope: ServiceEnvelope): void {
    const shard = this.shards[this.shardOf(envelope)];
    if (shard === undefined) throw new Error('there is no such shard');
    shard.queued.push(envelope);
    if (shard.queued.length > 1) return;
    setImmediate(() => {
      const command: ShardCommand = {
        v: SHARD_PROTOCOL_VERSION,
        type: 'post',
        envelopes: shard.queued.splice(0),
      };
      shard.worker.postMessage(command);
    });
  }

  private shardOf(envelope: ServiceEnvelope): number {
    if (this.shards.length === 1) return 0;
    switch (envelope.actor) {
      case 'catalog':
      case 'accounts':
      case 'audit':
      case 'idempotency':
      case 'webhooks':
        return 0;
      case 'farm':
      case 'lease':
      case 'retention':
        return shardOfFarm(envelope.id, this.shards.length);
      case 'sweep':
        return shardOfFarm(endedJobOfKey(envelope.id).farmId, this.shards.length);
      case 'purge':
        return shardOfFarm(envelope.message.farmId, this.shards.length);
      case 'job':
      case 'worker': {
        const farm = this.reader.get(envelope.actor, envelope.id)?.farmId;
        return farm === undefined ? 0 : shardOfFarm(farm, this.shards.length);
      }
    }
  }
}

const withOrigin = (envelope: ServiceEnvelope, origin: RequestOrigin | undefined): ServiceEnvelope =>
  origin === undefined ? envelope : { ...envelope, origin };
