import type { AttemptId, FarmId, WorkerId } from '../../../src/core/ids.ts';
import type { JournalReader } from '../../../src/core/ports/agent-journal.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { Capabilities } from '../agent-settings.ts';

export type RegistrarPhase =
  | 'idle'
  /** Announced, not yet answered. */
  | 'registering'
  | 'registered'
  /** Contact is lost: the sessions are being stopped, then it registers anew. */
  | 'fencing'
  /** Leaving: tasks may end, no other is begun. */
  | 'draining'
  /** Leaving: what is left is being stopped. */
  | 'settling'
  /** Leaving: the last reports are not yet confirmed. */
  | 'confirming'
  /** Leaving: the departure is announced. */
  | 'departing'
  | 'stopped';

/** An announcement that has not been answered. */
interface PendingAnnouncement {
  readonly sentAt: number;
  readonly incarnation: string;
  /** Attempts that were doubted when it was sent. */
  readonly awaitingConfirmation: readonly AttemptId[];
  /** What the worker had when it was sent. */
  readonly capabilities: Capabilities;
}

/** The service's last word on this worker. */
export interface RegistrationStatus {
  readonly farmId: FarmId;
  readonly heartbeatTimeoutMs: number;
}

export interface RegistrarState {
  phase: RegistrarPhase;
  workerId: WorkerId;
  incarnation: string;
  standing: RegistrationStatus | null;
  /** What the worker has beside its cores. */
  capabilities: Capabilities;
  /** What of that the service has answered to; null before its first answer. */
  toldCapabilities: Capabilities | null;
  /** Which start of the service has answered last; empty before the first answer. */
  service: string;
  /** Attempts that are not over here, doubted ones included. */
  readonly running: Set<AttemptId>;
  /** Attempts whose end is in the outbox and not confirmed. */
  readonly reported: Set<AttemptId>;
  /** Running attempts that are not begun before the service has said that they are open. */
  readonly awaitingConfirmation: Set<AttemptId>;
  /** Leaving: no session is left, idle ones included. */
  areSessionsGone: boolean;
  readonly pending: Map<number, PendingAnnouncement>;
  lastToken: number;
  /** Registrations without an answer, one after another. */
  tries: number;
  /** Registrations that were refused, one after another. */
  refusals: number;
}

export function loadRegistrar(reader: JournalReader, capabilities: Capabilities): RegistrarState {
  return {
    phase: 'idle',
    workerId: reader.workerId,
    incarnation: '',
    standing: null,
    capabilities,
    toldCapabilities: null,
    service: '',
    running: new Set(),
    reported: new Set(reader.reports.map((report) => report.attempt_id)),
    awaitingConfirmation: new Set(),
    areSessionsGone: false,
    pending: new Map(),
    lastToken: 0,
    tries: 0,
    refusals: 0,
  };
}

/** Every attempt whose end the service has not confirmed. */
export const openAttempts = (state: RegistrarState): readonly AttemptId[] => [
  ...state.running,
  ...state.reported,
];

/** Two thirds of the heartbeat timeout: without contact for this long the worker stops its own tasks. */
export const fenceAfterMs = (standing: RegistrationStatus): number =>
  Math.floor((standing.heartbeatTimeoutMs * 2) / 3);

/**
 * Between SIGTERM and SIGKILL for a worker that has lost contact: half of what is left before its tasks are given away, at the most
 * `AGENT_LIMITS.fenceGraceMs`.
 */
export const fenceGraceMs = (standing: RegistrationStatus | null): number =>
  standing === null
    ? 0
    : Math.min(AGENT_LIMITS.fenceGraceMs, (standing.heartbeatTimeoutMs - fenceAfterMs(standing)) / 2);

/**
 * Without contact for this long the guards of the tasks kill what still runs: after the grace that the worker itself gives, and before the
 * service may give the tasks away.
 */
export const killAfterMs = (standing: RegistrationStatus): number =>
  Math.min(
    fenceAfterMs(standing) + fenceGraceMs(standing),
    Math.floor(standing.heartbeatTimeoutMs * AGENT_LIMITS.killShare),
  );

/**
 * An assignment that may be older than this is begun only after the service has confirmed it. A younger one may be begun at once: should
 * nothing of that reach the service, and no other word of the worker, the guards have killed it before the service takes it back.
 */
export const leaseFreshMs = (standing: RegistrationStatus): number =>
  Math.max(0, AGENT_LIMITS.assignedMs - AGENT_LIMITS.assignedMarginMs - killAfterMs(standing));

/** Attempts that were never begun are let go: the service takes back what it hears of no more. */
export function dropUnstarted(state: RegistrarState): void {
  for (const attemptId of state.awaitingConfirmation) state.running.delete(attemptId);
  state.awaitingConfirmation.clear();
}
