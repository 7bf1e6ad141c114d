import { randomUUID } from 'node:crypto';
import type { Assignment, LeaseReply, PresenceReply } from '../../src/core/wire/bus-messages.ts';
import { RawNatsClient } from './raw-nats-client.ts';

const PRESENCE = 1;
const LEASE = 2;
const HEARTBEAT_MS = 5_000;

export interface SwarmEvents {
  /** Milliseconds from the request to the reply. */
  readonly leased: (latencyMs: number, assignments: readonly Assignment[]) => void;
  readonly failed: (error: Error) => void;
}

/**
 * A worker of a swarm: its own connection, real messages, and tasks that end at once. Each lease request follows the
 * terminal reports of the previous one.
 */
export class SwarmWorker {
  private readonly client: RawNatsClient;
  private readonly events: SwarmEvents;
  private readonly cpuCount: number;
  private readonly id = randomUUID();
  private readonly inbox: string;
  private readonly incarnation = '01936ad0-0000-7000-8000-000000000001';
  private farmId = '';
  private askedAt = 0;
  private registered: (() => void) | null = null;
  private heartbeat: NodeJS.Timeout | null = null;
  private isRunning = true;
  private readonly paceMs: number | null;

  private constructor(
    client: RawNatsClient,
    cpuCount: number,
    events: SwarmEvents,
    inbox: string,
    paceMs: number | null,
  ) {
    this.paceMs = paceMs;
    this.client = client;
    this.cpuCount = cpuCount;
    this.events = events;
    this.inbox = inbox;
  }

  /** Connects and registers. `paceMs` is the pause before each further lease; null: there is none by itself. */
  static async start(
    port: number,
    index: number,
    cpuCount: number,
    events: SwarmEvents,
    paceMs: number | null = 0,
  ): Promise<SwarmWorker> {
    const inbox = `_INBOX.worker${index}`;
    const client: RawNatsClient = await RawNatsClient.open('127.0.0.1', port, (subscription, payload) => {
      worker.received(subscription, payload);
    });
    const worker: SwarmWorker = new SwarmWorker(client, cpuCount, events, inbox, paceMs);
    client.subscribe(`${inbox}.presence`, PRESENCE);
    client.subscribe(`${inbox}.lease`, LEASE);
    await worker.register(`swarm-${index}`);
    return worker;
  }

  lease(): void {
    if (!this.isRunning) return;
    this.askedAt = performance.now();
    const request = { v: 1, worker_id: this.id, farm_id: this.farmId, incarnation: this.incarnation };
    this.client.publish('work.lease._any', JSON.stringify(request), `${this.inbox}.lease`);
  }

  stop(): void {
    this.isRunning = false;
    if (this.heartbeat !== null) clearInterval(this.heartbeat);
    this.client.close();
  }

  private register(name: string): Promise<void> {
    const registered = new Promise<void>((resolve) => {
      this.registered = resolve;
    });
    this.client.publish(
      'worker.register',
      JSON.stringify({
        v: 1,
        type: 'register',
        worker_id: this.id,
        incarnation: this.incarnation,
        name,
        hostname: 'bench',
        farm: '',
        queues: [],
        cpu_count: this.cpuCount,
        memory_mib: 1024,
        os: 'linux',
        arch: 'x86_64',
        software_version: 'bench',
        compute_location: '',
        tags: {},
        open_attempts: [],
        reply_to: `${this.inbox}.presence`,
      }),
    );
    return registered;
  }

  private received(subscription: number, payload: Buffer): void {
    if (subscription === PRESENCE) this.presence(JSON.parse(payload.toString()) as PresenceReply);
    else this.leased(payload);
  }

  private presence(reply: PresenceReply): void {
    if (reply.type === 'refused') this.events.failed(new Error(reply.reason));
    if (reply.type !== 'registered') return;
    this.farmId = reply.farm_id;
    this.heartbeat ??= setInterval(() => this.beat(), HEARTBEAT_MS);
    this.registered?.();
  }

  private beat(): void {
    this.client.publish(
      'worker.heartbeat',
      JSON.stringify({
        v: 1,
        type: 'heartbeat',
        worker_id: this.id,
        farm_id: this.farmId,
        incarnation: this.incarnation,
        open_attempts: [],
        reply_to: `${this.inbox}.presence`,
      }),
    );
  }

  private leased(payload: Buffer): void {
    if (!this.isRunning) return;
    if (payload.length === 0) {
      this.events.failed(new Error('no shard answers lease requests'));
      return;
    }
    const reply = JSON.parse(payload.toString()) as LeaseReply;
    if (reply.type === 'unknown') {
      this.events.failed(new Error('the service does not know a worker of the swarm'));
      return;
    }
    this.events.leased(performance.now() - this.askedAt, reply.assignments);
    for (const assignment of reply.assignments) {
      this.report(assignment, 'running');
      this.report(assignment, 'succeeded');
    }
    if (this.paceMs === 0) this.lease();
    else if (this.paceMs !== null) setTimeout(() => this.lease(), this.paceMs);
  }

  private report({ task_id, attempt_id, job_id }: Assignment, status: 'running' | 'succeeded'): void {
    this.client.publish(
      `task.status.${job_id}`,
      JSON.stringify({
        v: 1,
        task_id,
        attempt_id,
        worker_id: this.id,
        status,
        ...(status === 'succeeded' ? { exit_code: 0 } : {}),
        timestamp: new Date().toISOString(),
        session_id: this.id,
      }),
    );
  }
}
