import { EXTRA_EXTENSIONS } from '../../../src/openjd/template/extensions.ts';
import type { HeartbeatMessage, StopCause } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext, Announcement } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import {
  dropUnstarted,
  fenceAfterMs,
  killAfterMs,
  openAttempts,
  isSameTerms,
  replyTimeoutMs,
  type RegistrarState,
  type RegistrationStatus,
  type Sent,
} from './state.ts';

type RegistrarContext = AgentContext<'registrar'>;

/** Registers the worker. Repeats with backoff until the service replies. */
export function announceRegistration(
  state: RegistrarState,
  settings: AgentSettings,
  context: RegistrarContext,
): void {
  state.phase = 'registering';
  sendRegistration(state, settings, context);
  const delayMs = backoffMs(state.tries, AGENT_LIMITS.registerRetry, context.newId());
  context.after('announce', delayMs, { type: 'announce.due' });
  state.tries++;
}

/**
 * Registers again if the capabilities have changed since the last registration. The incarnation stays the same, so the
 * service reclaims nothing.
 */
export function renewRegistration(
  state: RegistrarState,
  settings: AgentSettings,
  context: RegistrarContext,
): void {
  if (state.capabilities !== state.registeredCapabilities) sendRegistration(state, settings, context);
}

function sendRegistration(state: RegistrarState, settings: AgentSettings, context: RegistrarContext): void {
  const { hardware, tags } = state.capabilities;
  send(state, AGENT_LIMITS.announceTimeoutMs, context, {
    v: 1,
    type: 'register',
    worker_id: state.workerId,
    incarnation: state.incarnation,
    name: settings.name,
    hostname: settings.hostName,
    // A registered worker stays in its farm, even if farms were created or renamed since.
    farm: state.registration?.farmId ?? settings.farm,
    queues: settings.queues,
    cpu_count: settings.cpuCount,
    memory_mib: settings.memoryMib,
    ...(hasEntries(settings.amounts) && { amounts: settings.amounts }),
    gpu_count: hardware.gpuCount,
    gpu_memory_mib: hardware.gpuMemoryMib,
    gpu_models: hardware.gpuModels,
    scratch_mib: hardware.scratchMib,
    os: settings.os,
    os_version: hardware.osVersion,
    ...(hardware.isolation === undefined ? {} : { isolation: hardware.isolation }),
    arch: settings.arch,
    software_version: settings.softwareVersion,
    compute_location: settings.computeLocation,
    tags,
    expr_memory_limit: settings.exprLimits.memory,
    extensions: EXTRA_EXTENSIONS,
    open_attempts: openAttempts(state),
    ...(state.stopped === null ? {} : { stopped: state.stopped }),
  });
}

/**
 * Registers with a new incarnation: the service reclaims every attempt that this worker does not report. `stopped`: why
 * this worker has stopped tasks; null at the start of the agent.
 */
export function reregister(
  state: RegistrarState,
  settings: AgentSettings,
  stopped: StopCause | null,
  context: RegistrarContext,
): void {
  state.stopped = stopped;
  context.send('poller', 'poller', { type: 'poller.unregistered' });
  dropUnstarted(state);
  state.incarnation = context.newId();
  state.tries = 0;
  state.refusals = 0;
  if (state.running.size === 0) {
    context.cancelTimer('contact');
    context.effect({ kind: 'set-contact-deadline', leftMs: null });
  }
  announceRegistration(state, settings, context);
}

/** Sends one heartbeat and sets the timer of the next one. */
export function announceHeartbeat(
  state: RegistrarState,
  registration: RegistrationStatus,
  context: RegistrarContext,
): void {
  probeAbsence(state, registration, context);
  send(state, replyTimeoutMs(registration), context, {
    v: 1,
    type: 'heartbeat',
    worker_id: state.workerId,
    farm_id: registration.farmId,
    incarnation: state.incarnation,
    open_attempts: openAttempts(state),
    ...(state.phase === 'draining' ? { draining: true } : {}),
    ...reportedTermsOf(state, registration),
  });
  state.reportedTerms = { terms: registration, service: state.service };
  if (state.phase !== 'confirming') scheduleHeartbeat(registration, context);
  else context.after('announce', AGENT_LIMITS.confirmHeartbeatMs, { type: 'announce.due' });
}

const hasEntries = (map: object): boolean => Object.keys(map).length > 0;

/** Returns the terms and the mark that a heartbeat reports. */
function reportedTermsOf(
  { reportedTerms, service, mark }: RegistrarState,
  { reclaimAfterMs }: RegistrationStatus,
): Pick<HeartbeatMessage, 'reclaim_after_ms' | 'service' | 'bus' | 'mark'> {
  // Before the first report, the service knows no terms of this worker.
  if (reportedTerms?.service !== service) return { reclaim_after_ms: reclaimAfterMs };
  const { terms } = reportedTerms;
  return {
    reclaim_after_ms: terms.reclaimAfterMs,
    service,
    ...(terms.singleBus === null ? {} : { bus: terms.singleBus.id }),
    ...(mark === null ? {} : { mark }),
  };
}

/**
 * Asks the bus whether a service is connected at all, if the previous announcement has no reply yet. Its absence counts
 * as contact, because a service that is not connected cannot reclaim tasks (docs/decisions/outages.md).
 */
function probeAbsence(
  state: RegistrarState,
  registration: RegistrationStatus,
  context: RegistrarContext,
): void {
  const { singleBus, farmId } = registration;
  if (singleBus === null || !state.mayCountAbsence || state.answeredToken === state.lastToken) return;
  const token = ++state.lastProbe;
  state.probes.set(token, {
    nth: ++state.lastSent,
    sentAt: context.now,
    incarnation: state.incarnation,
    bus: singleBus.id,
  });
  context.effect({
    kind: 'probe-absence',
    token,
    farmId,
    bus: singleBus.id,
    timeoutMs: replyTimeoutMs(registration),
  });
}

/** Sets the time of the next heartbeat. */
export function scheduleHeartbeat(registration: RegistrationStatus, context: RegistrarContext): void {
  context.after('announce', heartbeatEveryMs(registration), { type: 'announce.due' });
}

export function announceDeparture(
  state: RegistrarState,
  registration: RegistrationStatus,
  context: RegistrarContext,
): void {
  context.cancelTimer('announce');
  send(state, AGENT_LIMITS.departMs, context, {
    v: 1,
    type: 'deregister',
    worker_id: state.workerId,
    farm_id: registration.farmId,
    incarnation: state.incarnation,
  });
}

/**
 * Extends the contact: the service has received what was sent then, or was not connected. From then on tasks may run for
 * two thirds of the time after which the service reclaims them.
 *
 * A service that starts answers announcements from before its start. With the same terms, the absence of a service that
 * was found since then is the later contact.
 */
export function confirmContact(
  state: RegistrarState,
  registration: RegistrationStatus,
  { nth, sentAt }: Sent,
  context: RegistrarContext,
): void {
  const { contact } = state;
  if (contact !== null && nth < contact.nth && isSameTerms(contact.terms, registration)) return;
  state.contact = { nth, terms: registration };
  const age = context.now - sentAt;
  context.after('contact', Math.max(0, fenceAfterMs(registration) - age), { type: 'contact.lost' });
  context.effect({ kind: 'set-contact-deadline', leftMs: Math.max(0, killAfterMs(registration) - age) });
}

const heartbeatEveryMs = (registration: RegistrationStatus): number =>
  Math.min(AGENT_LIMITS.heartbeatMsMax, registration.heartbeatTimeoutMs / AGENT_LIMITS.heartbeatsPerTimeout);

function send(
  state: RegistrarState,
  timeoutMs: number,
  context: RegistrarContext,
  announcement: Announcement,
): void {
  state.lastToken++;
  state.pending.set(state.lastToken, {
    nth: ++state.lastSent,
    sentAt: context.now,
    incarnation: state.incarnation,
    awaitingConfirmation: [...state.awaitingConfirmation],
    capabilities: state.capabilities,
  });
  context.effect({ kind: 'announce', token: state.lastToken, announcement, timeoutMs });
}
