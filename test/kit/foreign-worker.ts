import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { accessTo, type BusOfService, type WorkerAccess } from './worker-access.ts';

/**
 * A minimal worker that is based only on docs/worker-protocol.md and imports only a NATS client and Node, and the kit that
 * gives it a credential where the bus needs one. It sends none of the optional fields, like an older worker, and one unknown
 * field.
 */

/* Bus messages in the form that the page describes. */
type Message = Readonly<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any

interface Running {
  readonly child: ChildProcess;
  /** A cancel message was received. It is a hint: the task ends when a reply of the service lists the attempt as closed. */
  isHinted: boolean;
  isCanceled: boolean;
  isVoid: boolean;
}

const CORES = 2;
const LEASE_MS = 35_000;
const STORE_MS = 5_000;
const ANSWER_MS = 5_000;

export class ForeignWorker {
  readonly name: string;
  workerId: string;
  /** Replies of the service, for assertions. */
  readonly answers: Message[] = [];
  private readonly nc: NatsConnection;
  private readonly access: WorkerAccess;
  private readonly incarnation = new Uuid7(() => Date.now()).next();
  private farmId = '';
  private queueIds: string[] = [];
  private timeoutMs = 0;
  private readonly running = new Map<string, Running>();
  private readonly unconfirmed = new Map<string, Message>();
  private freeCores = CORES;
  private isLeaving = false;
  private beat: NodeJS.Timeout | undefined;

  private constructor(nc: NatsConnection, access: WorkerAccess, name: string) {
    this.nc = nc;
    this.access = access;
    this.workerId = access.workerId ?? crypto.randomUUID();
    this.name = name;
  }

  /** Connects, registers and starts requesting work. */
  static async start(service: BusOfService, name: string): Promise<ForeignWorker> {
    const access = await accessTo(service, name);
    const worker = new ForeignWorker(await access.connect(service.busPort), access, name);
    await worker.register();
    worker.beat = setInterval(() => void worker.heartbeat(), Math.min(5000, worker.timeoutMs / 6));
    const subjects = worker.queueIds.length === 0 ? ['_any'] : worker.queueIds;
    for (const queue of subjects) void worker.requestWork(queue);
    return worker;
  }

  /** Waits for running tasks, gets their ends confirmed, and deregisters. */
  async leave(): Promise<Message> {
    this.isLeaving = true;
    while (this.running.size > 0 || this.unconfirmed.size > 0) {
      await this.heartbeat();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    clearInterval(this.beat);
    const departed = await this.announce('worker.deregister', { ...this.presence('deregister') });
    await this.nc.close();
    return departed;
  }

  private async register(): Promise<void> {
    for (;;) {
      const reply = await this.announce('worker.register', {
        v: 1,
        type: 'register',
        worker_id: this.workerId,
        incarnation: this.incarnation,
        name: this.name,
        hostname: 'elsewhere',
        farm: '',
        queues: [],
        cpu_count: CORES,
        memory_mib: 1024,
        os: 'linux',
        arch: 'x86_64',
        software_version: 'foreign 1',
        compute_location: '',
        tags: {},
        open_attempts: this.openAttempts(),
        favourite_colour: 'green',
      }).catch(() => null);
      if (reply?.['type'] === 'registered') {
        this.workerId = reply['worker_id'];
        this.farmId = reply['farm_id'];
        this.queueIds = reply['queue_ids'];
        this.timeoutMs = reply['heartbeat_timeout_ms'];
        this.closed(reply['closed']);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  private async heartbeat(): Promise<void> {
    const message = { ...this.presence('heartbeat'), open_attempts: this.openAttempts() };
    const reply = await this.announce('worker.heartbeat', message).catch(() => null);
    if (reply?.['type'] === 'unknown') await this.register();
    else if (reply?.['type'] === 'alive') this.closed(reply['closed']);
  }

  private presence(type: string): Message {
    return { v: 1, type, worker_id: this.workerId, farm_id: this.farmId, incarnation: this.incarnation };
  }

  private openAttempts(): string[] {
    return [...new Set([...this.running.keys(), ...this.unconfirmed.keys()])];
  }

  private closed(attempts: readonly string[]): void {
    for (const attempt of attempts) {
      this.unconfirmed.delete(attempt);
      const running = this.running.get(attempt);
      if (running === undefined) continue;
      if (running.isHinted) running.isCanceled = true;
      else running.isVoid = true;
      running.child.kill('SIGKILL');
    }
  }

  /** A presence message contains its reply inbox, and is published without a NATS reply subject. */
  private announce(subject: string, message: Message): Promise<Message> {
    const inbox = this.access.inbox();
    return new Promise((resolve, reject) => {
      const subscription = this.nc.subscribe(inbox, {
        max: 1,
        callback: (_error, answer) => {
          clearTimeout(timer);
          const reply = answer.json<Message>();
          this.answers.push(reply);
          resolve(reply);
        },
      });
      const timer = setTimeout(() => {
        subscription.unsubscribe();
        reject(new Error('no answer'));
      }, ANSWER_MS);
      this.nc.publish(this.access.subject(subject), JSON.stringify({ ...message, reply_to: inbox }));
    });
  }

  private async requestWork(queue: string): Promise<void> {
    while (!this.isLeaving && !this.nc.isClosed()) {
      if (this.freeCores <= 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      const { incarnation, workerId: worker_id, farmId: farm_id } = this;
      const request = JSON.stringify({ v: 1, worker_id, farm_id, incarnation });
      const answer = await this.nc
        .request(this.access.subject(`work.lease.${queue}`), request, { timeout: LEASE_MS })
        .catch(() => null);
      const reply = answer?.json<Message>();
      if (reply?.['type'] !== 'leases') {
        await new Promise((resolve) => setTimeout(resolve, 250));
        continue;
      }
      for (const assignment of reply['assignments'] as Message[]) {
        this.freeCores -= assignment['cores'];
        void this.run(assignment, reply['steps'][assignment['step_id']]);
      }
    }
  }

  private async run(assignment: Message, step: Message): Promise<void> {
    const attempt: string = assignment['attempt_id'];
    const action = step['script']['onRun'];
    const resolved = (text: string): string =>
      text.replace(/\{\{ *Task\.Param\.(\w+) *\}\}/g, (_all, name: string) => {
        return assignment['parameters'][name]['value'] as string;
      });
    const child = spawn(resolved(action['command']), (action['args'] as string[]).map(resolved), {
      detached: true,
    });
    const running: Running = { child, isHinted: false, isCanceled: false, isVoid: false };
    this.running.set(attempt, running);
    const closed = once(child, 'close') as Promise<[number | null]>;
    const cancels = this.followCancels(assignment, running);
    let number = 0;
    let sent = Promise.resolve();
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.setEncoding('utf8').on('data', (data: string) => {
        const { task_id, attempt_id } = assignment;
        const at = new Date().toISOString();
        const chunk = { v: 1, task_id, attempt_id, seq_num: ++number, stream, data, at };
        const id = `${attempt}:${chunk.seq_num}`;
        sent = sent.then(() => this.store(`task.logs.${assignment['task_id']}`, id, chunk));
      });
    }
    await this.report(assignment, { status: 'running' });
    const [code] = await closed;
    await sent;
    cancels();
    if (!running.isVoid) {
      const status = running.isCanceled ? 'canceled' : code === 0 ? 'succeeded' : 'failed';
      const end = code === null ? { status } : { status, exit_code: code };
      this.unconfirmed.set(attempt, end);
      this.running.delete(attempt);
      await this.report(assignment, end);
    }
    this.running.delete(attempt);
    this.freeCores += assignment['cores'];
    await this.heartbeat();
  }

  private followCancels(assignment: Message, running: Running): () => void {
    const subject = this.access.subject(`task.cancel.${assignment['task_id']}`);
    const heard = (message: Msg): void => {
      if (message.json<Message>()['attempt_id'] !== assignment['attempt_id']) return;
      running.isHinted = true;
      void this.heartbeat();
    };
    const subscription = this.nc.subscribe(subject, { callback: (_error, message) => heard(message) });
    this.nc
      .request(`$JS.API.DIRECT.GET.CALLSHEET_CANCEL.${subject}`, '', { timeout: ANSWER_MS })
      .then((answer) => answer.headers?.code === 404 || heard(answer))
      // A missed cancel is delayed by one heartbeat.
      .catch(() => undefined);
    return () => subscription.unsubscribe();
  }

  private report(assignment: Message, what: Message): Promise<void> {
    const { task_id, attempt_id } = assignment;
    const timestamp = new Date().toISOString();
    const message = {
      v: 1,
      task_id,
      attempt_id,
      worker_id: this.workerId,
      ...what,
      timestamp,
      session_id: 'x1',
    };
    return this.store(`task.status.${assignment['job_id']}`, `${attempt_id}:${what['status']}`, message);
  }

  /** Repeats until the stream has stored it. */
  private async store(subject: string, id: string, message: Message): Promise<void> {
    const id_header = headers();
    id_header.set('Nats-Msg-Id', id);
    for (;;) {
      const answer = await this.nc
        .request(this.access.subject(subject), JSON.stringify(message), {
          timeout: STORE_MS,
          headers: id_header,
        })
        .catch(() => null);
      if (answer !== null && answer.json<Message>()['error'] === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}
