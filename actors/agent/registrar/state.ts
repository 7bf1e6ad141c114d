/**
 * State of the registrar. Phases: idle, registering, registered, fencing (contact lost), then back to registering with
 * a new incarnation. Shutdown: draining, settling, confirming, departing, stopped; draining may be skipped, and the
 * only exit is `stopped`.
 *
 * Invariants: `awaitingConfirmation` is a subset of `running`. `running` and `reported` together are the open attempts
 * of a heartbeat. Replies to announcements of an earlier incarnation are ignored. No task runs after `killAfterMs`
 * without contact.
 */

import type { AttemptId, FarmId, WorkerId } from '../../../src/core/ids.ts';
import type { SingleBus } from '../../../src/core/records/worker.ts';
import type { StopCause } from '../../../src/core/wire/bus-messages.ts';
import type { JournalReader } from '../../../src/core/ports/agent-journal.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { Capabilities } from '../agent-settings.ts';

export type RegistrarPhase =
  | 'idle'
  /** A registration was sent and has no reply yet. */
  | 'registering'
  | 'registered'
  /** Contact is lost: stops the sessions, then registers with a new incarnation. */
  | 'fencing'
  /** Shutdown: tasks may finish, none is started. */
  | 'draining'
  /** Shutdown: remaining tasks are being stopped. */
  | 'settling'
  /** Shutdown: waits for the confirmation of the last reports. */
  | 'confirming'
  /** Shutdown: the departure is announced. */
  | 'departing'
  | 'stopped';

/** An announcement or a probe. */
export interface Sent {
  /** Number among all of them, in the order in which they were sent. */
  readonly nth: number;
  readonly sentAt: number;
}

/** An announcement without a reply yet. */
interface PendingAnnouncement extends Sent {
  readonly incarnation: string;
  /** Attempts that awaited confirmation when it was sent. */
  readonly awaitingConfirmation: readonly AttemptId[];
  /** The worker's capabilities when it was sent. */
  readonly capabilities: Capabilities;
}

/** A question to the bus whether a service is connected. */
interface PendingProbe extends Sent {
  readonly incarnation: string;
  /** Identity of the bus that was asked. */
  readonly bus: string;
}

/** A cancel message that the service has not confirmed. */
interface CancelHint {
  readonly reason: string;
  /** Token of the latest announcement at that time. */
  readonly hintedAfter: number;
}

/** Terms of the service that this worker uses (docs/decisions/outages.md). */
export interface Terms {
  readonly heartbeatTimeoutMs: number;
  /** The service reclaims the tasks of a silent worker after this time. At least the heartbeat timeout. */
  readonly reclaimAfterMs: number;
  /** The bus whose "no responders" counts as contact; null for none. */
  readonly singleBus: SingleBus | null;
}

/** The last reply of the service about this worker. */
export interface RegistrationStatus extends Terms {
  readonly farmId: FarmId;
}

export interface RegistrarState {
  phase: RegistrarPhase;
  workerId: WorkerId;
  incarnation: string;
  registration: RegistrationStatus | null;
  /** The worker's current capabilities. */
  capabilities: Capabilities;
  /** Capabilities of the last registration with a reply; null before the first. */
  registeredCapabilities: Capabilities | null;
  /** Id of the service's start in the last reply; empty before the first. */
  service: string;
  /** Ids of earlier starts of the service, whose late replies are ignored. */
  readonly earlierServices: Set<string>;
  /** Highest epoch in a reply; null if none had one. */
  epoch: number | null;
  /** Whether the next announcement was brought forward because the owner of the farms has changed. */
  isOwnerAwaited: boolean;
  /** Latest mark of that start of the service; null before the first. */
  mark: number | null;
  /**
   * Terms that the next heartbeat reports as used, with the start of the service that set them. Follows the registration
   * by one heartbeat, so that everything which was decided by earlier terms is in the open attempts.
   */
  reportedTerms: { readonly terms: Terms; readonly service: string } | null;
  /** The latest contact: what proved it, and its terms. Null before the first. */
  contact: { readonly nth: number; readonly terms: Terms } | null;
  /** Whether the latest contact was the absence of a service instead of a reply. */
  isServiceAbsent: boolean;
  /** Whether the absence of the service counts as contact: for a limited time since its last reply. */
  mayCountAbsence: boolean;
  /** Why this incarnation follows the one before; null for a start of the agent. */
  stopped: StopCause | null;
  /** Attempts that have not ended here, including those that await confirmation. */
  readonly running: Set<AttemptId>;
  /** Attempts with an unconfirmed terminal report in the outbox. */
  readonly reported: Set<AttemptId>;
  /** Running attempts that start only after confirmation by the service. */
  readonly awaitingConfirmation: Set<AttemptId>;
  /** Running attempts for which a cancel message has arrived that the service may not have sent. */
  readonly cancelHints: Map<AttemptId, CancelHint>;
  /** When a heartbeat was last sent because of a hint. */
  hintsAskedAt: number;
  /** Shutdown: no session is left, not even an idle one. */
  haveSessionsEnded: boolean;
  readonly pending: Map<number, PendingAnnouncement>;
  /** Probes without an answer yet, by token. */
  readonly probes: Map<number, PendingProbe>;
  /** Token of the latest announcement with a reply. */
  answeredToken: number;
  lastToken: number;
  lastProbe: number;
  /** Number of announcements and probes. */
  lastSent: number;
  /** Number of registrations without a reply in a row. */
  tries: number;
  /** Number of refused registrations in a row. */
  refusals: number;
}

export function loadRegistrar(reader: JournalReader, capabilities: Capabilities): RegistrarState {
  return {
    phase: 'idle',
    workerId: reader.workerId,
    incarnation: '',
    registration: null,
    capabilities,
    registeredCapabilities: null,
    service: '',
    earlierServices: new Set(),
    epoch: null,
    isOwnerAwaited: false,
    mark: null,
    reportedTerms: null,
    contact: null,
    isServiceAbsent: false,
    mayCountAbsence: false,
    stopped: null,
    running: new Set(),
    reported: new Set(reader.reports.map((report) => report.attempt_id)),
    awaitingConfirmation: new Set(),
    cancelHints: new Map(),
    hintsAskedAt: -Infinity,
    haveSessionsEnded: false,
    pending: new Map(),
    probes: new Map(),
    answeredToken: 0,
    lastToken: 0,
    lastProbe: 0,
    lastSent: 0,
    tries: 0,
    refusals: 0,
  };
}

export const isSameTerms = (a: Terms, b: Terms): boolean =>
  a.heartbeatTimeoutMs === b.heartbeatTimeoutMs &&
  a.reclaimAfterMs === b.reclaimAfterMs &&
  a.singleBus?.id === b.singleBus?.id &&
  a.singleBus?.limitMs === b.singleBus?.limitMs;

/** Returns every attempt whose end the service has not confirmed. */
export const openAttempts = (state: RegistrarState): readonly AttemptId[] => [
  ...state.running,
  ...state.reported,
];

/**
 * Two thirds of the time after which the service reclaims the tasks: without contact for this long the worker stops
 * them.
 */
export const fenceAfterMs = ({ reclaimAfterMs }: RegistrationStatus): number =>
  Math.floor((reclaimAfterMs * 2) / 3);

/** Returns the time that the worker waits for the reply to a heartbeat. */
export const replyTimeoutMs = ({ heartbeatTimeoutMs }: RegistrationStatus): number =>
  Math.floor((heartbeatTimeoutMs * 2) / 3);

/**
 * Returns the time between SIGTERM and SIGKILL after contact is lost: half of the time that is left before the service
 * may reclaim the tasks, at most `AGENT_LIMITS.fenceGraceMs`.
 */
export const fenceGraceMs = (registration: RegistrationStatus | null): number =>
  registration === null
    ? 0
    : Math.min(AGENT_LIMITS.fenceGraceMs, (registration.reclaimAfterMs - fenceAfterMs(registration)) / 2);

/**
 * Returns the time without contact after which the supervisors kill all tasks: after the worker's own grace, and before
 * the service may reclaim the tasks.
 */
export const killAfterMs = (registration: RegistrationStatus): number =>
  Math.min(
    fenceAfterMs(registration) + fenceGraceMs(registration),
    Math.floor(registration.reclaimAfterMs * AGENT_LIMITS.killShare),
  );

/**
 * Returns the age up to which an assignment may start without confirmation. If no report of a younger one reaches the
 * service, the supervisors kill it before the service reclaims it. With a longer time without contact, the service
 * reclaims a younger one only if a heartbeat proves that this worker does not have it (docs/decisions/outages.md).
 */
export function leaseFreshMs(registration: RegistrationStatus): number {
  const { assignedMs, assignedMarginMs } = AGENT_LIMITS;
  const isPatient = registration.reclaimAfterMs > registration.heartbeatTimeoutMs;
  return Math.max(0, assignedMs - assignedMarginMs - (isPatient ? 0 : killAfterMs(registration)));
}

const HEARTBEAT_PHASES: ReadonlySet<RegistrarPhase> = new Set([
  'registered',
  'draining',
  'settling',
  'confirming',
]);

/** Reports whether heartbeats are sent. */
export const mayHeartbeat = ({ phase }: RegistrarState): boolean => HEARTBEAT_PHASES.has(phase);

/** Removes an attempt that has ended here, or that never starts. Returns false if it was not running. */
export function removeRunning(state: RegistrarState, attemptId: AttemptId): boolean {
  state.awaitingConfirmation.delete(attemptId);
  state.cancelHints.delete(attemptId);
  return state.running.delete(attemptId);
}

/** Reports whether tasks may run and the service is asked to confirm the contact. */
export const mayRunTasks = ({ phase }: RegistrarState): boolean =>
  phase === 'registered' || phase === 'draining';

/** Drops attempts that await confirmation. The service reclaims attempts that are no longer reported. */
export function dropUnstarted(state: RegistrarState): void {
  for (const attemptId of [...state.awaitingConfirmation]) removeRunning(state, attemptId);
}
