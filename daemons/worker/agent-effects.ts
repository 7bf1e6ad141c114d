import { AGENT_LIMITS } from '../../actors/agent/agent-limits.ts';
import type { AgentEffect, AgentEnvelope } from '../../actors/agent/agent-system.ts';
import type { LeaseFailure } from '../../actors/agent/poller/messages.ts';
import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type { StoreOutcome, RequestFailure, WorkerBus } from '../../src/core/ports/bus.ts';
import type { LogSpool } from '../../src/core/ports/log-spool.ts';
import type { Previews } from '../../src/core/ports/previews.ts';
import type { Staging } from '../../src/core/ports/staging.ts';
import type { TaskProcesses } from '../../src/core/ports/task-processes.ts';
import { executeOnProcesses } from './process-effects.ts';
import { executeOnStaging } from './staging-effects.ts';

export interface AgentEvents {
  /** The worker has left the service. */
  readonly left: () => void;
  /** The service has replied to a registered worker. */
  readonly welcomed: () => void;
  /** The worker registers. */
  readonly registering: () => void;
}

/** Adapters that execute the effects. */
interface AgentPorts {
  readonly bus: WorkerBus;
  readonly processes: TaskProcesses;
  readonly spool: LogSpool;
  readonly staging: Staging;
  /** Null if the worker makes none. */
  readonly previews: Previews | null;
}

/** Executes the effects of the daemon's actors and sends the results back to them. */
export class AgentEffects {
  private readonly bus: WorkerBus;
  private readonly processes: TaskProcesses;
  private readonly spool: LogSpool;
  private readonly staging: Staging;
  private readonly previews: Previews | null;
  private readonly post: (envelope: AgentEnvelope) => void;
  private readonly events: AgentEvents;
  /** Number of attempts per task whose cancels are followed. More than one only while an earlier attempt is stopped. */
  private readonly followed = new Map<TaskId, number>();

  constructor(
    { bus, processes, spool, staging, previews }: AgentPorts,
    post: (envelope: AgentEnvelope) => void,
    events: AgentEvents,
  ) {
    this.bus = bus;
    this.processes = processes;
    this.spool = spool;
    this.staging = staging;
    this.previews = previews;
    this.post = post;
    this.events = events;
  }

  execute(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'announce':
        void this.announce(effect);
        return;
      case 'probe-absence':
        void this.probeAbsence(effect);
        return;
      case 'request-lease':
        void this.requestLease(effect);
        return;
      case 'give-up-leases':
        this.bus.cancelLeaseRequests();
        return;
      case 'follow-owner':
        this.bus.followOwner();
        return;
      case 'report':
        void this.report(effect);
        return;
      case 'report-progress':
        void this.bus.reportStatus(effect.report);
        return;
      case 'ship-logs':
        void this.shipLogs(effect);
        return;
      case 'spool-logs':
        void this.spoolLogs(effect);
        return;
      case 'ship-spool':
        void this.shipSpool(effect.attemptId);
        return;
      case 'follow-cancels':
        this.follow(effect.taskId);
        return;
      case 'unfollow-cancels':
        this.unfollow(effect.taskId);
        return;
      case 'stage':
      case 'stop-staging':
      case 'forget-staging':
        executeOnStaging(this.staging, effect);
        return;
      case 'make-previews':
        this.previews?.make(effect.request);
        return;
      case 'exit-failed':
        return;
      case 'set-contact-deadline':
        this.processes.contactLasts(effect.leftMs);
        return;
      case 'stopped':
        this.events.left();
        return;
      default:
        executeOnProcesses(this.processes, effect);
    }
  }

  private follow(taskId: TaskId): void {
    const attempts = this.followed.get(taskId) ?? 0;
    this.followed.set(taskId, attempts + 1);
    if (attempts === 0) this.bus.followCancels(taskId);
  }

  private unfollow(taskId: TaskId): void {
    const attempts = (this.followed.get(taskId) ?? 0) - 1;
    if (attempts > 0) {
      this.followed.set(taskId, attempts);
      return;
    }
    this.followed.delete(taskId);
    this.bus.unfollowCancels(taskId);
  }

  private async announce({
    token,
    announcement,
    timeoutMs,
  }: Extract<AgentEffect, { kind: 'announce' }>): Promise<void> {
    if (announcement.type === 'register') this.events.registering();
    const outcome = await this.bus.announcePresence(announcement, timeoutMs);
    const reply = outcome.type === 'answered' ? outcome.reply : null;
    if (reply?.type === 'registered' || reply?.type === 'alive') {
      this.previews?.serviceStores(reply.previews === true);
      this.events.welcomed();
    }
    this.post({
      actor: 'registrar',
      id: 'registrar',
      message:
        outcome.type === 'answered'
          ? { type: 'presence.answered', token, reply: outcome.reply }
          : { type: 'presence.unanswered', token, reason: reasonOf(outcome) },
    });
  }

  private async probeAbsence({
    token,
    farmId,
    bus,
    timeoutMs,
  }: Extract<AgentEffect, { kind: 'probe-absence' }>): Promise<void> {
    const isAbsent = await this.bus.isServiceAbsent(farmId, bus, timeoutMs);
    this.post({ actor: 'registrar', id: 'registrar', message: { type: 'absence.probed', token, isAbsent } });
  }

  private async requestLease({
    requestId,
    queue,
    request,
    timeoutMs,
  }: Extract<AgentEffect, { kind: 'request-lease' }>): Promise<void> {
    const outcome = await this.bus.requestLease(queue, request, timeoutMs);
    this.post({
      actor: 'poller',
      id: 'poller',
      message:
        outcome.type === 'answered'
          ? { type: 'lease.answered', requestId, reply: outcome.reply }
          : { type: 'lease.unanswered', requestId, reason: leaseFailureOf(outcome) },
    });
  }

  private async report({ report }: Extract<AgentEffect, { kind: 'report' }>): Promise<void> {
    const outcome = await this.bus.reportStatus(report);
    const { attempt_id: attemptId, status } = report;
    this.post({
      actor: 'outbox',
      id: 'outbox',
      message:
        outcome.type === 'stored'
          ? { type: 'report.stored', attemptId, status }
          : { type: 'report.publish-failed', attemptId, status, reason: reasonOf(outcome) },
    });
  }

  private async shipLogs({ attemptId, chunks }: Extract<AgentEffect, { kind: 'ship-logs' }>): Promise<void> {
    const { stored, failure } = await this.bus.publishLogs(chunks);
    this.post({
      actor: 'shipper',
      id: attemptId,
      message: { type: 'logs.stored', stored, failure: failure === null ? null : reasonOf(failure) },
    });
  }

  private async spoolLogs({
    attemptId,
    chunks,
    isLast,
  }: Extract<AgentEffect, { kind: 'spool-logs' }>): Promise<void> {
    const { kept, failure } = await this.spool.append(attemptId, chunks, isLast);
    this.post({ actor: 'shipper', id: attemptId, message: { type: 'logs.spooled', kept, failure } });
  }

  private async shipSpool(attemptId: AttemptId): Promise<void> {
    const chunks = await this.spool.front(attemptId, AGENT_LIMITS.logChunksAtOnce);
    const { stored, failure } = await this.bus.publishLogs(chunks);
    const isRest = await this.spool.removeFront(attemptId, stored);
    const reason = failure === null ? null : reasonOf(failure);
    const message = { type: 'logs.unspooled', stored, isRest, failure: reason } as const;
    this.post({ actor: 'shipper', id: attemptId, message });
  }
}

type Failure = RequestFailure | Exclude<StoreOutcome, { type: 'stored' }>;

const reasonOf = (failure: Failure): string =>
  'reason' in failure ? `${failure.type}: ${failure.reason}` : failure.type;

function leaseFailureOf(outcome: RequestFailure): LeaseFailure {
  if (outcome.type === 'timedOut') return 'timed-out';
  return outcome.type === 'noResponders' ? 'no-responders' : 'failed';
}
