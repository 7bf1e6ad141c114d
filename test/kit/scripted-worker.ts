import { headers, type NatsConnection } from '@nats-io/transport-node';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { accessTo, type BusOfService, type WorkerAccess } from './worker-access.ts';

/** A bus message as it was sent. */
export type Spoken = Readonly<Record<string, unknown>>;

export interface SpokenLeases {
  readonly type: string;
  readonly assignments: readonly {
    readonly attempt_id: string;
    readonly task_id: string;
    readonly job_id: string;
  }[];
  readonly confirmed?: readonly string[];
}

const ANSWER_MS = 20_000;

/** A worker that sends only the messages that a test tells it to send. */
export class ScriptedWorker {
  workerId: string;
  farmId = '';
  incarnation = new Uuid7(() => Date.now()).next();
  readonly nc: NatsConnection;
  readonly access: WorkerAccess;
  private readonly name: string;
  private readonly cores: number;

  private constructor(nc: NatsConnection, access: WorkerAccess, name: string, cores: number) {
    this.nc = nc;
    this.access = access;
    this.workerId = access.workerId ?? crypto.randomUUID();
    this.name = name;
    this.cores = cores;
  }

  /** Connects and registers. `farm`: ID or name; empty for the only farm. */
  static async start(service: BusOfService, name: string, cores: number, farm = ''): Promise<ScriptedWorker> {
    const worker = await ScriptedWorker.act(
      await accessTo(service, name, farm),
      service.busPort,
      name,
      cores,
    );
    const registered = await worker.register(farm);
    worker.farmId = String(registered['farm_id']);
    worker.workerId = String(registered['worker_id']);
    return worker;
  }

  /** Connects with this access, and does not register. */
  static async act(access: WorkerAccess, port: number, name: string, cores: number): Promise<ScriptedWorker> {
    return new ScriptedWorker(await access.connect(port), access, name, cores);
  }

  /** Reconnects the same worker. */
  async reconnect(port: number): Promise<ScriptedWorker> {
    const { access } = this;
    const again = new ScriptedWorker(await access.connect(port), access, this.name, this.cores);
    again.workerId = this.workerId;
    again.farmId = this.farmId;
    again.incarnation = this.incarnation;
    return again;
  }

  /** `extra` adds or replaces fields. */
  register(farm = '', extra: Spoken = {}): Promise<Spoken> {
    return this.announce('worker.register', { ...this.registration(farm), ...extra });
  }

  /** Returns a registration without the inbox for its reply. */
  registration(farm: string): Spoken {
    return {
      v: 1,
      type: 'register',
      worker_id: this.workerId,
      incarnation: this.incarnation,
      name: this.name,
      hostname: 'elsewhere',
      farm,
      queues: [],
      cpu_count: this.cores,
      memory_mib: 1024,
      os: 'linux',
      arch: 'x86_64',
      software_version: 'spoken 1',
      compute_location: '',
      tags: {},
      open_attempts: [],
    };
  }

  heartbeat(openAttempts: readonly string[], extra: Spoken = {}): Promise<Spoken> {
    return this.announce('worker.heartbeat', {
      ...this.self('heartbeat'),
      open_attempts: openAttempts,
      ...extra,
    });
  }

  deregister(extra: Spoken = {}): Promise<Spoken> {
    return this.announce('worker.deregister', { ...this.self('deregister'), ...extra });
  }

  /** Requests work. `extra` adds or replaces fields. */
  async lease(extra: Spoken = {}, timeoutMs = ANSWER_MS): Promise<SpokenLeases> {
    const { v, worker_id, farm_id, incarnation } = this.self('');
    const request = JSON.stringify({ v, worker_id, farm_id, incarnation, ...extra });
    const answer = await this.nc.request(this.access.subject('work.lease._any'), request, {
      timeout: timeoutMs,
    });
    return answer.json<SpokenLeases>();
  }

  /** Publishes a status message and waits until the stream has stored it. */
  async report(jobId: string, report: Spoken): Promise<void> {
    const attempt = String(report['attempt_id']);
    const id = headers();
    id.set('Nats-Msg-Id', `${attempt}:${String(report['status'])}`);
    const task_id = attempt.slice(0, attempt.lastIndexOf('-'));
    const message = JSON.stringify({ v: 1, task_id, worker_id: this.workerId, ...report });
    const subject = this.access.subject(`task.status.${jobId}`);
    await this.nc.request(subject, message, { timeout: ANSWER_MS, headers: id });
  }

  close(): Promise<void> {
    return this.nc.close();
  }

  private self(type: string): Spoken {
    return {
      v: 1,
      type,
      worker_id: this.workerId,
      farm_id: this.farmId,
      incarnation: this.incarnation,
    };
  }

  /** A presence message contains its reply inbox, and is published without a NATS reply subject. */
  private async announce(subject: string, message: Spoken): Promise<Spoken> {
    const inbox = this.access.inbox();
    const subscription = this.nc.subscribe(inbox, { max: 1, timeout: ANSWER_MS });
    this.nc.publish(this.access.subject(subject), JSON.stringify({ ...message, reply_to: inbox }));
    for await (const answer of subscription) return answer.json<Spoken>();
    throw new Error(`no reply to ${subject}`);
  }
}
