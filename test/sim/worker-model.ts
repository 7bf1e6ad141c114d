import { farmId, parseAttemptId, workerId, type AttemptId, type FarmId } from '../../src/core/ids.ts';
import type {
  Assignment,
  LeaseReply,
  PresenceReply,
  StatusMessage,
} from '../../src/core/wire/bus-messages.ts';
import { ANY_QUEUE } from '../../src/core/wire/subjects.ts';
import type { DaemonPorts, DaemonRules, ProcessEnd, WorkerDisk, WorkerSpec } from './worker-ports.ts';

const HEARTBEAT_MS = 5_000;
const REGISTER_AGAIN_MS = 3_000;
const LONG_POLL_MS = 35_000;
/** An assignment whose request is older than this may have been taken back by now: ask before it is started. */
const LATE_AFTER_MS = 10_000;
const REPUBLISH_AFTER_MS = 4_000;
const FENCE_CHECK_MS = 500;
const FENCE_SHARE = 2 / 3;

interface OpenAttempt {
  readonly assignment: Assignment;
  /** `asking`: accepted, and not to be started before the service has said that it stands. */
  state: 'asking' | 'running' | 'stopping';
  /** What is to be reported when a process that is being stopped has died; null for nothing. */
  reportOnEnd: 'canceled' | null;
}

/**
 * A worker's daemon, as the service sees it: one life of it, from its start to its death. Speaks the protocol of
 * src/core/wire/bus-messages.ts.
 */
export class WorkerDaemon {
  private readonly spec: WorkerSpec;
  private readonly disk: WorkerDisk;
  private readonly ports: DaemonPorts;
  private readonly rules: DaemonRules;
  private readonly open = new Map<AttemptId, OpenAttempt>();
  private readonly publishedAt = new Map<AttemptId, number>();
  private readonly polls = new Map<string, () => void>();
  private incarnation = '';
  private farm: FarmId | null = null;
  private timeoutMs = 30_000;
  /** When the last presence message was sent that the service has answered. */
  private contactAt: number;
  private isRegistering = false;
  private isFencing = false;
  private isDeparting = false;

  constructor(spec: WorkerSpec, disk: WorkerDisk, ports: DaemonPorts, rules: DaemonRules) {
    this.spec = spec;
    this.disk = disk;
    this.ports = ports;
    this.rules = rules;
    this.contactAt = ports.now();
  }

  /** Everything that an earlier life has left running is dead by now. */
  start(): void {
    this.renew();
    this.register();
    this.everyHeartbeat();
    this.watchContact();
  }

  /** Ends what runs, says goodbye and calls back. */
  depart(onGone: () => void): void {
    this.isDeparting = true;
    this.stopPolling();
    for (const attemptId of [...this.open.keys()]) this.drop(attemptId);
    const leave = (): void => {
      if (this.open.size > 0) {
        this.ports.after(FENCE_CHECK_MS, leave);
        return;
      }
      if (this.farm !== null) {
        this.ports.publishPresence({
          v: 1,
          type: 'deregister',
          worker_id: workerId(this.disk.workerId),
          farm_id: this.farm,
          incarnation: this.incarnation,
          reply_to: this.ports.inbox(() => undefined),
        });
      }
      this.ports.after(FENCE_CHECK_MS, onGone);
    };
    leave();
  }

  /** From the bus: end the attempt, its task was canceled. */
  onCancel(attemptId: AttemptId): void {
    const attempt = this.open.get(attemptId);
    if (attempt === undefined) return;
    if (attempt.state === 'asking') {
      this.open.delete(attemptId);
      return;
    }
    attempt.reportOnEnd = 'canceled';
    this.stop(attemptId, attempt);
  }

  /** A new incarnation: nothing is open but what waits in the outbox. */
  private renew(): void {
    this.disk.starts++;
    // As a UUIDv7 is: later than every earlier one, also those of a disk that was wiped since.
    this.incarnation = `${String(this.ports.now()).padStart(12, '0')}-${this.disk.starts}`;
  }

  private get openAttempts(): AttemptId[] {
    return [...new Set([...this.open.keys(), ...this.disk.outbox.keys()])];
  }

  private register(): void {
    if (this.isRegistering || this.isFencing || this.isDeparting) return;
    this.isRegistering = true;
    this.stopPolling();
    this.tryToRegister();
  }

  private tryToRegister(): void {
    if (!this.isRegistering) return;
    const { incarnation } = this;
    const sentAt = this.ports.now();
    const { spec } = this;
    this.ports.publishPresence({
      v: 1,
      type: 'register',
      worker_id: workerId(this.disk.workerId),
      incarnation,
      name: spec.name,
      hostname: `${spec.name}.example`,
      farm: spec.farm,
      queues: spec.queues,
      cpu_count: spec.cores,
      memory_mib: 4096,
      os: 'linux',
      arch: 'x86_64',
      software_version: '1',
      compute_location: spec.computeLocation,
      tags: spec.tags,
      open_attempts: this.openAttempts,
      reply_to: this.ports.inbox((reply) => {
        if (incarnation === this.incarnation) this.onRegisterReply(reply, sentAt);
      }),
    });
    this.ports.after(REGISTER_AGAIN_MS, () => {
      if (incarnation === this.incarnation) this.tryToRegister();
    });
  }

  private onRegisterReply(reply: PresenceReply, sentAt: number): void {
    if (reply.type === 'refused') {
      // A later start than this one is known: this one's number must be higher.
      if (!reply.reason.startsWith('a later start')) return;
      this.renew();
      this.tryToRegister();
      return;
    }
    if (reply.type !== 'registered' || this.isDeparting) return;
    this.disk.workerId = reply.worker_id;
    this.farm = farmId(reply.farm_id);
    this.timeoutMs = reply.heartbeat_timeout_ms;
    this.heard(sentAt, reply.closed);
    if (!this.isRegistering) return;
    this.isRegistering = false;
    const queues = reply.queue_ids.length === 0 ? [ANY_QUEUE] : reply.queue_ids;
    for (const queue of queues) this.poll(queue);
  }

  private everyHeartbeat(): void {
    this.heartbeat();
    this.ports.after(HEARTBEAT_MS, () => {
      this.everyHeartbeat();
    });
  }

  private heartbeat(): void {
    if (this.farm === null || this.isRegistering || this.isFencing || this.isDeparting) return;
    const { incarnation } = this;
    const sentAt = this.ports.now();
    const listed = this.openAttempts;
    this.ports.publishPresence({
      v: 1,
      type: 'heartbeat',
      worker_id: workerId(this.disk.workerId),
      farm_id: this.farm,
      incarnation,
      open_attempts: listed,
      reply_to: this.ports.inbox((reply) => {
        if (incarnation !== this.incarnation || this.isFencing || this.isDeparting) return;
        if (reply.type === 'unknown') this.register();
        if (reply.type !== 'alive') return;
        this.heard(sentAt, reply.closed);
        this.startConfirmed(listed);
        this.republish();
      }),
    });
  }

  private heard(sentAt: number, closed: readonly AttemptId[]): void {
    this.contactAt = Math.max(this.contactAt, sentAt);
    this.ports.tellGuards(this.fenceAt);
    for (const attemptId of closed) {
      this.disk.outbox.delete(attemptId);
      this.publishedAt.delete(attemptId);
      this.drop(attemptId);
    }
  }

  /** The service has been told that these are here and has not said that they are closed: they stand. */
  private startConfirmed(listed: readonly AttemptId[]): void {
    if (this.ports.now() >= this.fenceAt) return;
    for (const attemptId of listed) {
      const attempt = this.open.get(attemptId);
      if (attempt?.state === 'asking') this.run(attemptId, attempt);
    }
  }

  private republish(): void {
    const now = this.ports.now();
    for (const [attemptId, report] of this.disk.outbox) {
      if (now - (this.publishedAt.get(attemptId) ?? -Infinity) >= REPUBLISH_AFTER_MS) this.publish(report);
    }
  }

  private publish(report: StatusMessage): void {
    this.publishedAt.set(report.attempt_id, this.ports.now());
    this.ports.publishStatus(report);
  }

  private poll(queue: string): void {
    if (this.farm === null || this.isRegistering || this.isFencing || this.isDeparting) return;
    const { incarnation } = this;
    const sentAt = this.ports.now();
    let isOver = false;
    const finish = (): void => {
      isOver = true;
      stopListening();
      this.polls.delete(queue);
    };
    const stopListening = this.ports.requestLease(
      queue,
      { v: 1, worker_id: workerId(this.disk.workerId), farm_id: this.farm, incarnation },
      (reply) => {
        if (isOver) return;
        finish();
        this.onLeaseReply(queue, reply, sentAt);
      },
    );
    this.polls.set(queue, finish);
    this.ports.after(LONG_POLL_MS, () => {
      if (isOver) return;
      finish();
      this.poll(queue);
    });
  }

  private onLeaseReply(queue: string, reply: LeaseReply, sentAt: number): void {
    if (reply.type === 'unknown') {
      this.register();
      return;
    }
    for (const assignment of reply.assignments) this.accept(assignment, sentAt);
    this.poll(queue);
  }

  private accept(assignment: Assignment, sentAt: number): void {
    const attemptId = assignment.attempt_id;
    if (this.open.has(attemptId) || this.disk.outbox.has(attemptId)) return;
    const now = this.ports.now();
    if (now - sentAt > LONG_POLL_MS) return;
    const attempt: OpenAttempt = { assignment, state: 'asking', reportOnEnd: null };
    this.open.set(attemptId, attempt);
    const isLate = now - sentAt > LATE_AFTER_MS || now >= this.fenceAt;
    if (isLate && this.rules.asksWhenLate) this.heartbeat();
    else this.run(attemptId, attempt);
  }

  private run(attemptId: AttemptId, attempt: OpenAttempt): void {
    attempt.state = 'running';
    this.ports.tellGuards(this.fenceAt);
    this.ports.publishStatus(this.report(attempt.assignment, 'running'));
    this.ports.startProcess(attempt.assignment, (end) => {
      this.ended(attemptId, attempt, end);
    });
  }

  private ended(attemptId: AttemptId, attempt: OpenAttempt, end: ProcessEnd): void {
    this.open.delete(attemptId);
    if (end.kind === 'killed') {
      if (attempt.reportOnEnd !== null) this.keep(this.report(attempt.assignment, attempt.reportOnEnd));
      return;
    }
    const status = end.exitCode === 0 ? 'succeeded' : 'failed';
    this.keep({ ...this.report(attempt.assignment, status), exit_code: end.exitCode });
  }

  private keep(report: StatusMessage): void {
    this.disk.outbox.set(report.attempt_id, report);
    this.publish(report);
  }

  private report(assignment: Assignment, status: StatusMessage['status']): StatusMessage {
    return {
      v: 1,
      task_id: assignment.task_id,
      attempt_id: assignment.attempt_id,
      worker_id: workerId(this.disk.workerId),
      status,
      timestamp: '2026-01-01T00:00:00.000Z',
      session_id: `session-${parseAttemptId(assignment.attempt_id)?.attemptNumber ?? 0}`,
    };
  }

  /** The attempt is not this worker's any more: end it and report nothing. */
  private drop(attemptId: AttemptId): void {
    const attempt = this.open.get(attemptId);
    if (attempt === undefined) return;
    if (attempt.state === 'asking') this.open.delete(attemptId);
    else {
      attempt.reportOnEnd = null;
      this.stop(attemptId, attempt);
    }
  }

  private stop(attemptId: AttemptId, attempt: OpenAttempt): void {
    if (attempt.state !== 'running') return;
    attempt.state = 'stopping';
    this.ports.killProcess(attemptId);
  }

  private get fenceAt(): number {
    return this.contactAt + this.timeoutMs * FENCE_SHARE;
  }

  private watchContact(): void {
    if (this.rules.fencesItself && this.open.size > 0 && this.ports.now() >= this.fenceAt) this.fence();
    this.ports.after(FENCE_CHECK_MS, () => {
      this.watchContact();
    });
  }

  /** Without contact: the service may soon give the tasks away. Ends them, and begins anew when they are dead. */
  private fence(): void {
    if (this.isFencing || this.isDeparting) return;
    const runs = [...this.open.values()].some((attempt) => attempt.state !== 'asking');
    if (!runs) return;
    this.isFencing = true;
    this.isRegistering = false;
    this.stopPolling();
    this.ports.note('fence', '');
    for (const attemptId of [...this.open.keys()]) this.drop(attemptId);
    this.beginAnewWhenDead();
  }

  private beginAnewWhenDead(): void {
    if (this.open.size > 0 && this.rules.waitsForTheDead) {
      this.ports.after(FENCE_CHECK_MS, () => {
        this.beginAnewWhenDead();
      });
      return;
    }
    this.open.clear();
    this.isFencing = false;
    this.renew();
    this.register();
  }

  private stopPolling(): void {
    for (const finish of [...this.polls.values()]) finish();
  }
}
