import { parseAttemptId, type AttemptId, type JobId } from '../../../src/core/ids.ts';
import { compareCandidates, stepKey } from '../../../src/core/lease/candidate-order.ts';
import {
  choosePreemption,
  mayPreempt,
  type PreemptionChoice,
  type WorkerInUse,
} from '../../../src/core/lease/preemption.ts';
import { isEligible } from '../../../src/core/lease/eligibility.ts';
import type { Signature, StepEntry } from '../../../src/core/lease/step-entry.ts';
import type { Preemption } from '../../../src/core/records/preemption.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { preemptAfterOf, shortestWaitOf, type Survey, type SurveyedWorker } from './preemption-state.ts';
import { reservationsMaxOf } from './reservations.ts';
import { reindexParkedRequests, releaseReservation, serveWorker } from './serve.ts';
import type { LeaseState, LeaseWorker } from './state.ts';

/*
 * A queue takes back tasks of preemptible queues (docs/policy.md#preemption). A sweep finds the steps that have waited
 * long enough. It asks the workers for their bookings and the jobs for the start of attempts, because the lease actor
 * has neither: all facts come from the store, so that the decision after a restart is the same. The answers arrive in
 * the same unit of work.
 */

type LeaseContext = ServiceContext<'lease'>;

/** Asks the workers for their bookings if steps of queues that preempt have waited long enough. */
export function preempt(state: LeaseState, context: LeaseContext): void {
  if (shortestWaitOf(state.preemption) === null) return;
  const waiters = dueSteps(state, context.now);
  if (waiters.length === 0) return;
  const signatures = [...new Set(waiters.map(({ signature }) => signature))];
  const workers = [...state.workers.values()].filter(
    ({ offer, isOnline }) => isOnline && signatures.some((signature) => isEligible(offer, signature)),
  );
  if (workers.length === 0) return;
  state.preemption.survey = {
    waiters,
    workers: new Map(),
    attempts: new Map(),
    outstanding: workers.length,
  };
  for (const { offer } of workers)
    context.send('worker', offer.workerId, { type: 'bookings.survey', farmId: state.farmId });
}

/** Records the bookings of a worker. After the last one, asks the jobs of attempts that may be taken back. */
export function onBookingsSurveyed(
  state: LeaseState,
  { workerId, bookings, isEnding }: Extract<LeaseMessage, { type: 'bookings.surveyed' }>,
  context: LeaseContext,
): void {
  const survey = surveyOf(state);
  survey.workers.set(workerId, { bookings, isEnding });
  if (--survey.outstanding > 0) return;
  const ofJobs = new Map<JobId, AttemptId[]>();
  for (const worker of survey.workers.values()) {
    for (const { attemptId } of worker.bookings) {
      const step = stepOf(state, attemptId);
      if (step === undefined || !isPreemptible(state, step)) continue;
      const ofJob = ofJobs.get(step.jobId);
      if (ofJob === undefined) ofJobs.set(step.jobId, [attemptId]);
      else ofJob.push(attemptId);
    }
  }
  survey.outstanding = ofJobs.size;
  for (const [job, attemptIds] of ofJobs)
    context.send('job', job, { type: 'attempts.survey', farmId: state.farmId, attemptIds });
  if (ofJobs.size === 0) endSurvey(state, survey, context);
}

/** Records the attempts of a job. After the last one, decides. */
export function onAttemptsSurveyed(
  state: LeaseState,
  { attempts }: Extract<LeaseMessage, { type: 'attempts.surveyed' }>,
  context: LeaseContext,
): void {
  const survey = surveyOf(state);
  for (const attempt of attempts) survey.attempts.set(attempt.attemptId, attempt);
  if (--survey.outstanding === 0) endSurvey(state, survey, context);
}

function surveyOf({ preemption: { survey } }: LeaseState): Survey {
  if (survey === null) throw new Error('there is no survey of attempts to take back');
  return survey;
}

/** Takes back attempts for the steps in turn. Each worker is kept free for one step. */
function endSurvey(state: LeaseState, survey: Survey, context: LeaseContext): void {
  state.preemption.survey = null;
  /** By signature: the highest priority for which nothing can be taken back. A lower one has no other candidates. */
  const inVain = new Map<Signature, number>();
  for (const { jobId, stepOrder } of survey.waiters) {
    const step = state.index.entry(jobId, stepOrder);
    if (step === undefined) continue;
    const { signature, priority } = step;
    const areAlike = signature.avoiding === 0 && state.doubts.size === 0;
    if (areAlike && priority <= (inVain.get(signature) ?? -Infinity)) continue;
    const hasOwn = state.reservations.workerFor(step) !== undefined;
    if (!hasOwn && state.reservations.size >= reservationsMaxOf(state)) return;
    const choice = choosePreemption(
      step.requirements,
      usesFor(state, step, survey, context.now),
      state.bookedAmounts,
      context.now,
    );
    if (choice === null) inVain.set(signature, priority);
    else carryOut(state, step, choice, context);
  }
}

/** Reserves the worker for the step, and requests the jobs to stop the attempts. */
function carryOut(
  state: LeaseState,
  step: StepEntry,
  { workerId, victims }: PreemptionChoice,
  context: LeaseContext,
): void {
  const { jobId, stepOrder, queueId } = step;
  const reserved = state.reservations.workerFor(step);
  if (reserved !== undefined) releaseReservation(state, reserved, context);
  const worker = state.workers.get(workerId);
  const queue = state.preemption.queues.get(queueId);
  if (worker === undefined || queue?.afterMs === undefined || queue.afterMs === null) return;
  state.reservations.set(workerId, { jobId, stepOrder, since: context.now, isPreemption: true });
  reindexParkedRequests(state, worker);
  const preemption: Preemption = {
    jobId,
    stepOrder,
    queueId,
    queue: queue.name,
    waitedMs: context.now - step.ready.since,
    afterSeconds: queue.afterMs / 1000,
    policyVersion: queue.version,
  };
  context.log('info', 'tasks taken back for a step that has waited', {
    worker_id: workerId,
    job_id: jobId,
    step: String(stepOrder),
    waits_since: timestampOf(step.ready.since),
    attempts: victims.join(' '),
    policy: String(queue.version),
  });
  const ofJobs = new Map<JobId, AttemptId[]>();
  for (const attemptId of victims) {
    const job = parseAttemptId(attemptId)?.jobId;
    if (job !== undefined) ofJobs.set(job, [...(ofJobs.get(job) ?? []), attemptId]);
  }
  for (const [job, attemptIds] of ofJobs)
    context.send('job', job, { type: 'attempts.preempt', attemptIds, preemption });
  serveWorker(state, worker, context);
}

/**
 * Returns the steps of queues that preempt which have waited long enough and for which no tasks are being taken back: by
 * descending priority, then by waiting time, longest first.
 */
function dueSteps(state: LeaseState, now: number): readonly StepEntry[] {
  const served = new Set<string>();
  for (const [, reservation] of state.reservations.list())
    if (reservation.isPreemption === true) served.add(stepKey(reservation));
  const due: StepEntry[] = [];
  for (const signature of state.index.waitingSignatures()) {
    const afterMs = preemptAfterOf(state.preemption, signature.queueId);
    if (afterMs === null || state.index.room(signature) <= 0) continue;
    for (const step of signature.steps) {
      if (now - step.ready.since < afterMs || served.has(stepKey(step))) continue;
      due.push(step);
    }
  }
  if (due.length === 0) return due;
  const victims = preemptibleSteps(state);
  return due
    .filter((step) => victims.some((victim) => isBelow(victim, step)))
    .sort((a, b) => b.priority - a.priority || a.ready.since - b.ready.since || compareCandidates(a, b));
}

/** Returns steps with live tasks that may be taken back: one for each queue and priority. */
function preemptibleSteps(state: LeaseState): readonly StepEntry[] {
  const steps = new Map<string, StepEntry>();
  for (const step of state.index.allSteps())
    if (step.live > 0 && isPreemptible(state, step)) steps.set(`${step.queueId} ${step.priority}`, step);
  return [...steps.values()];
}

/** Reports whether the tasks of a queue may be taken back by others. */
const isPreemptible = ({ preemption }: LeaseState, { queueId }: StepEntry): boolean =>
  preemption.queues.get(queueId)?.isPreemptible === true;

/** Tasks of other queues with the same or a lower priority of the job may be taken back. */
const isBelow = (victim: StepEntry, step: StepEntry): boolean =>
  victim.queueId !== step.queueId && victim.priority <= step.priority;

function mayBeTakenFor(state: LeaseState, { offer, isOnline }: LeaseWorker, step: StepEntry): boolean {
  if (!isOnline) return false;
  const reservation = state.reservations.get(offer.workerId);
  if (reservation !== undefined && stepKey(reservation) !== stepKey(step)) return false;
  return state.index.mayTake(offer, step);
}

function* usesFor(
  state: LeaseState,
  step: StepEntry,
  { workers, attempts }: Survey,
  now: number,
): Generator<WorkerInUse> {
  for (const [workerId, surveyed] of workers) {
    const worker = state.workers.get(workerId);
    if (worker !== undefined && mayBeTakenFor(state, worker, step))
      yield useFor(state, step, worker, surveyed, attempts, now);
  }
}

function useFor(
  state: LeaseState,
  step: StepEntry,
  { offer }: LeaseWorker,
  { bookings, isEnding }: SurveyedWorker,
  attempts: Survey['attempts'],
  now: number,
): WorkerInUse {
  const kept: WorkerInUse['kept'][number][] = [];
  const candidates: WorkerInUse['candidates'][number][] = [];
  for (const booking of bookings) {
    const attempt = attempts.get(booking.attemptId);
    const victim = attempt === undefined ? undefined : stepOf(state, booking.attemptId);
    if (
      attempt !== undefined &&
      victim !== undefined &&
      isBelow(victim, step) &&
      mayPreempt(attempt.preemptions, now)
    )
      candidates.push({ ...booking, startedAt: attempt.startedAt });
    else kept.push(booking);
  }
  return { offer, kept, candidates, isEnding };
}

function stepOf(state: LeaseState, attemptId: AttemptId): StepEntry | undefined {
  const address = parseAttemptId(attemptId);
  return address === null ? undefined : state.index.entry(address.jobId, address.stepOrder);
}
