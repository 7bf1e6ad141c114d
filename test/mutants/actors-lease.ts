import { mutantsOf, type Mutant } from './mutant.ts';

const FARM = 'test/actors/service/farm';
const JOB = 'test/actors/service/job';
const LEASE = 'test/actors/service/lease';
const WORKER = 'test/actors/service/worker';

/** Mutants of the lease actor. */
export const LEASE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/service/lease/pool-holds.ts',
    ['test/actors/service/job/retry-rules.test.ts'],
    [
      'tasks stay unschedulable when the hold of their pool ends',
      '  if (ended.length > 0) clearSchedulable(state, context);\n',
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/on-tasks-taken.ts',
    [`${LEASE}/refusals.test.ts`, `${LEASE}/lease.test.ts`],
    ['the cores of refused picks stay taken', ' message.refused * message.cores)', ' 0)'],
    ['the amounts of refused picks stay taken', 'message.refusedHoldings ?? []', '[]'],
    ['refused picks free one core each', ' message.refused * message.cores)', ' message.refused)'],
    [
      'refused picks stay counted in the caps',
      'hasFreedCapacity = state.index.settle(jobId, stepOrder, refused, workers);',
      '',
    ],
    [
      'a refusal does not serve other requests of the worker',
      'if (message.refused > 0 && worker !== undefined) serveWorker(state, worker, context);',
      '',
    ],
    ['a refusal that frees a cap serves no request', 'if (hasFreedCapacity) serveAll(state, context);', ''],
    ['an unserved request is forgotten', '    park(state, pending.request, context);\n', ''],
    [
      'the first answered pick ends the lease',
      'if (pending.outstanding.length === 0) endLease',
      'if (pending.outstanding.length >= 0) endLease',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/serve.ts',
    [
      `${LEASE}/lease.test.ts`,
      `${LEASE}/reservation.test.ts`,
      `${LEASE}/avoidance.test.ts`,
      `${LEASE}/recovery.test.ts`,
      `${LEASE}/pools.test.ts`,
      `${LEASE}/pool-counts.test.ts`,
      `${WORKER}/standing.test.ts`,
    ],
    [
      'a worker that is not online has free cores',
      'worker.isOnline ? worker.offer.cpuCount - worker.committedCores : 0',
      'worker.offer.cpuCount - worker.committedCores',
    ],
    [
      'tasks are leased during recovery',
      "worker === undefined || state.recovery !== 'ready'",
      'worker === undefined',
    ],
    [
      'leased tasks take one core each',
      'worker.committedCores += pick.count * pick.cores;',
      'worker.committedCores += pick.count;',
    ],
    [
      'a reserved worker takes tasks of other steps',
      'const only = state.reservations.get(request.workerId) ?? null;',
      'const only = null;',
    ],
    [
      'a served request stays parked',
      'if (serve(state, request, context)) state.parked.take(request.workerId, request.queueId);\n  }',
      'serve(state, request, context);\n  }',
    ],
    ['the first request that finds no task ends the search', '      signature.avoiding === 0 &&\n', ''],
    [
      'the first request whose host has no slot ends the search',
      '      !state.pools.dependsOnHost(signature.requirements)\n',
      '      true\n',
    ],
    [
      'free cores do not regroup the parked requests',
      '  countUse(state, worker, step, -cores);\n  reindexParkedRequests(state, worker);',
      '  countUse(state, worker, step, -cores);',
    ],
    ['a replaced request gets no reply', 'if (replaced !== null) replyEmpty(replaced, context);', ''],
    ['the hold timer is not set', 'if (state.parked.size === 1) armHold(state, context);', ''],
    [
      'a freed slot wakes every signature',
      'if (signature.requirements.pools.includes(pool)) serveSignature',
      'if (!signature.requirements.pools.includes(pool)) serveSignature',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/on-worker-offered.ts',
    [
      `${LEASE}/lease.test.ts`,
      `${WORKER}/standing.test.ts`,
      `${WORKER}/liveness.test.ts`,
      `${WORKER}/presence.test.ts`,
      `${LEASE}/avoidance.test.ts`,
    ],
    [
      'requests of an earlier incarnation stay parked',
      'if (state.workers.get(record.id)?.incarnation !== record.incarnation)\n      dismissRequests(state, record.id, context);',
      '',
    ],
    [
      'an offline worker stays known',
      "    if (record.status === 'offline') {\n      removeWorker(state, record.id, context);\n      return;\n    }\n",
      '',
    ],
    ['a draining worker is online', ' && record.draining !== true;', ';'],
    ['freed cores stay taken', 'freeCores(state, worker, message, message.cores);', ''],
    [
      'freed cores serve no request',
      '  freeCores(state, worker, message, message.cores);\n  serveWorker(state, worker, context);',
      '  freeCores(state, worker, message, message.cores);',
    ],
    [
      'tasks that avoided other workers stay when their favourite leaves',
      'if (isAvoided || state.doubts.size > 0) serveAll(state, context);',
      'if (state.doubts.size > 0) serveAll(state, context);',
    ],
    [
      'a worker that leaves gets no reply',
      '  dismissRequests(state, workerId, context);\n  removeFromOnline',
      '  removeFromOnline',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/on-steps-ready.ts',
    [
      `${LEASE}/lease.test.ts`,
      `${JOB}/update.test.ts`,
      `${LEASE}/avoidance.test.ts`,
      `${FARM}/service-restart.test.ts`,
      `${JOB}/take.test.ts`,
      `${LEASE}/outages.test.ts`,
    ],
    [
      'a selected task whose failure is excused is ready again',
      '  if (!entry.ready.has(index)) return;\n',
      '',
    ],
    ['a job that changes its queue frees no cap', 'if (isMoved) serveAll(state, context);\n  else ', ''],
    [
      'delayed tasks of an offer get no timer',
      '  for (const { index, until } of offer.held) {\n    holdTask(offer.jobId, offer.stepOrder, index, until, context);\n  }\n',
      '',
    ],
    [
      'a delayed task is ready at once',
      'if (until !== null && until > context.now) {',
      'if (until === null && context.now < 0) {',
    ],
    [
      'a delayed task is never ready',
      '  const signature = state.index.addReady(jobId, stepOrder, ranges, readyAt, avoided);\n',
      '  const signature = null;\n',
    ],
    [
      'a task forgets the workers that it failed on when its delay ends',
      'const avoided: readonly WorkerId[] = held.avoided;',
      'const avoided: readonly WorkerId[] = [];',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/recovery.ts',
    [
      `${LEASE}/recovery.test.ts`,
      `${FARM}/service-restart.test.ts`,
      'test/actors/service/lease/pools.test.ts',
      'test/core/lease/committed-shares.test.ts',
    ],
    [
      'jobs after the first batch are never activated',
      "    context.after('recovery', 0, { type: 'recovery.next' });\n",
      '',
    ],
    [
      'tasks are leased before the jobs have reported',
      "  if (!message.isLast) {\n    context.send('lease', state.farmId, { type: 'lease.recovered', isLast: true });\n    return;\n  }\n",
      '',
    ],
    ['pools are not counted after the recovery', '  state.pools.counted();\n', ''],
    [
      'requests that waited for the recovery stay parked',
      '  serveAll(state, context);\n  // Steps',
      '  // Steps',
    ],
    [
      'an early explanation sees a part of the jobs',
      "if (state.recovery === 'ready') {\n      handle",
      'if (state.recovery !== null) {\n      handle',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/reservations.ts',
    [`${LEASE}/reservation.test.ts`],
    [
      'a reservation without a purpose stays',
      'if (step === null) releaseReservation(state, workerId, context);\n    else if',
      'if (step === null) continue;\n    else if',
    ],
    ['any number of workers is reserved', 'if (state.reservations.size >= most) return;', ''],
    ['a step is reserved for twice', '        state.reservations.workerFor(step) === undefined &&\n', ''],
    ['a step starves at once', '        now - step.ready.since >= afterMs &&\n', ''],
    [
      'of workers that lack as many cores, the one is reserved that came last',
      'best.offer.ordinal < offer.ordinal',
      'best.offer.ordinal > offer.ordinal',
    ],
    [
      'of workers that lack as many cores, the one is reserved that was inserted first',
      ' && best.offer.ordinal < offer.ordinal',
      '',
    ],
    ['the worker that lacks the most cores is reserved', 'missing > fewest ||', 'missing < fewest ||'],
    [
      'requests of a reserved worker stay in their groups',
      '  reindexParkedRequests(state, worker);\n  context.log',
      '  context.log',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/load-waiting-steps.ts',
    [`${LEASE}/reservation.test.ts`],
    [
      'reservations are forgotten when the service starts',
      '    reservations.set(workerId, { ...step, ...reservation });\n',
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/waiting-steps.ts',
    [`${LEASE}/reservation.test.ts`, 'test/sim/cold-leases.test.ts'],
    [
      'a step is no longer overtaken when the service starts',
      'if (overtakenBefore.size > 0 && overtakenBefore.has(stepKey(step))) index.markOvertaken(step);',
      '',
    ],
    [
      'a step that stopped waiting during a start was overtaken in the next one',
      'for (const step of state.overtakenBefore.values()) context.change(rowOf(state, step));',
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/on-sweep-due.ts',
    ['test/sim/cold-leases.test.ts'],
    ['a start of the service moves the sweeps', 'Math.ceil(period - (context.now % period))', 'period'],
  ),
  ...mutantsOf(
    'actors/service/lease/unschedulable-sweep.ts',
    [`${LEASE}/unschedulable.test.ts`],
    [
      'tasks that wait for canary tasks keep their reason',
      'if (step === undefined) continue;',
      'if (step === undefined || step.ready.size === 0) continue;',
    ],
    [
      'a step is unschedulable without the grace',
      'if (known === undefined && step.ready.since > readyBefore) return false;',
      '',
    ],
    [
      'an unchanged reason is sent in every sweep',
      'if (known?.reason === reason && step.lastReadyAt <= known.readyBefore) return false;',
      '',
    ],
    [
      'the sweep does not remember that more steps wait',
      '      state.hasPendingNotifications = true;\n      return;\n    }\n  }\n}\n\n/** Yields',
      '      return;\n    }\n  }\n}\n\n/** Yields',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/preempt.ts',
    [`${LEASE}/preemption.test.ts`],
    ['a higher priority is taken back', ' && victim.priority <= step.priority', ''],
    ['a queue takes back its own tasks', 'victim.queueId !== step.queueId && ', ''],
    ['tasks are taken back without a wait', 'now - step.ready.since < afterMs || ', ''],
    ['tasks are taken back again while some are ending', ' || served.has(stepKey(step))', ''],
    ['a paused queue takes back tasks', ' || state.index.room(signature) <= 0', ''],
    [
      'any number of workers is kept free',
      'if (!hasOwn && state.reservations.size >= reservationsMaxOf(state)) return;',
      '',
    ],
  ),
];
