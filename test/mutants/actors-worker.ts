import { mutantsOf, type Mutant } from './mutant.ts';

const FARM = 'test/actors/service/farm';
const JOB = 'test/actors/service/job';
const WORKER = 'test/actors/service/worker';

/** Mutants of the worker and farm actors. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/service/worker/on-presence.ts',
    [
      `${WORKER}/presence.test.ts`,
      `${WORKER}/outages.test.ts`,
      `${WORKER}/standing.test.ts`,
      `${WORKER}/liveness.test.ts`,
    ],
    [
      'an attempt that is reported again stays missing',
      'for (const attemptId of openAttempts) state.missedSince.delete(attemptId);',
      '',
    ],
    [
      'the first heartbeat without an attempt reclaims it',
      'if (since === undefined || since > context.now) state.missedSince.set(attemptId, context.now);',
      'if (since === undefined || since > context.now) lost.push(attemptId);',
    ],
    [
      'a missing attempt is lost with the next heartbeat',
      'Math.max(since, context.receivingSince) + lostAfterMs <= sentAfter',
      'Math.max(since, context.receivingSince) <= sentAfter',
    ],
    [
      'time without a connection counts for missing attempts',
      'Math.max(since, context.receivingSince) + lostAfterMs',
      'since + lostAfterMs',
    ],
    [
      'a mark of an earlier start of the service counts',
      'return service === serviceId && mark !== undefined',
      'return mark !== undefined',
    ],
    [
      'a restarted worker keeps its earlier attempts',
      '      giveBack(state, lost, stopped === null ? RESTARTED_MESSAGE : STOPPED_MESSAGES[stopped], context);\n',
      '',
    ],
    [
      'a repeated registration reclaims everything',
      'if (isNewIncarnation) {',
      'if (isNewIncarnation || message.openAttempts.length === 0) {',
    ],
    [
      'a heartbeat of an earlier incarnation counts',
      'if (heartbeat.incarnation !== state.record.incarnation || state.record.departed === true) {',
      'if (state.record.departed === true) {',
    ],
    [
      'a heartbeat after the departure counts',
      ' || state.record.departed === true) {\n      context.reply(message.replyTo, UNKNOWN);',
      ') {\n      context.reply(message.replyTo, UNKNOWN);',
    ],
    [
      'a departed worker keeps its attempts',
      '      giveBackAll(state, WORKER_OFFLINE_MESSAGE, context);\n      watchUnused',
      '      watchUnused',
    ],
    [
      'another machine takes over the name of a silent worker at once',
      '  remainingPatienceMs(state, settings, context) > 0;\n\nconst heldNameReason',
      '  remainingPatienceMs(state, settings, context) < 0;\n\nconst heldNameReason',
    ],
    [
      'a reported attempt is not told to its job',
      "    context.send('job', job, { type: 'attempts.held', attemptIds });",
      '    void [job, attemptIds];',
    ],
    [
      'a worker that returns is not watched',
      "if (before !== 'online') watchLiveness(state, settings, context);",
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/worker/liveness.ts',
    [
      `${WORKER}/liveness.test.ts`,
      `${WORKER}/outages.test.ts`,
      `${JOB}/reaper.test.ts`,
      `${JOB}/fences.test.ts`,
    ],
    [
      'a heartbeat between question and grant is ignored',
      '    if (isWaiting(state, settings, context)) {\n      watchLiveness(state, settings, context);\n      return;\n    }\n    const { record } = state;',
      '    const { record } = state;',
    ],
    [
      'silence before the start of the service counts',
      'Math.max(lastContactAt(state, context) ?? 0, context.receivingSince)',
      'lastContactAt(state, context) ?? 0',
    ],
    [
      'tasks are reclaimed before the bus has confirmed',
      '    else askBus(state, settings, context);\n  };',
      '    else reclaimAttempts(state.bookings.ids(), WORKER_OFFLINE_MESSAGE, context);\n  };',
    ],
    [
      'a confirmation from before an interruption counts',
      'if (context.receivingSince > askedAt) return;',
      '',
    ],
    [
      'a worker that is online again loses its tasks',
      "if (state.record.status !== 'online' && !isWaiting(state, settings, context)) {",
      "if (!isWaiting(state, settings, context) || state.record.status === 'online') {",
    ],
    [
      'an unanswered question to the bus is not repeated',
      '  // Without an answer, the check is repeated.\n  wait(heartbeatTimeoutMs, context);\n',
      '',
    ],
    [
      'attempts that the worker holds are reclaimed as overdue',
      'const overdue = [...state.overdue].filter((attemptId) => !state.held.has(attemptId));',
      'const overdue = [...state.overdue];',
    ],
    ['overdue attempts of a patient worker are reclaimed', 'if (isPatient(state, settings)) return;', ''],
    [
      'the time at another bus does not count',
      'absence === 0 ? 0 : context.receivingSince + absence + patience',
      '0',
    ],
    [
      'every heartbeat is stored',
      'if (age < 0 || age >= storedHeartbeatAgeMs(timeoutMs)) return false;',
      'return false;',
    ],
    [
      'the stored heartbeat may be older than the timeout',
      'age >= storedHeartbeatAgeMs(timeoutMs)',
      'age >= 10 * storedHeartbeatAgeMs(timeoutMs)',
    ],
    [
      'an unstored heartbeat does not count after a load',
      ': Math.max(record.lastHeartbeatAt, maybeContactAt)',
      ': record.lastHeartbeatAt',
    ],
  ),
  ...mutantsOf(
    'actors/service/worker/promise.ts',
    [`${WORKER}/outages.test.ts`],
    ['a promise shrinks at once', 'Math.max(before?.reclaimAfterMs ?? 0, reclaimAfterMs)', 'reclaimAfterMs'],
    [
      'a heartbeat with the terms of an earlier start shrinks the promise',
      'const isCurrent = heartbeat?.service === settings.serviceId;',
      'const isCurrent = heartbeat !== null;',
    ],
    [
      'an earlier bus is forgotten at once',
      'const earlierBuses = usesBus ? [] :',
      'const earlierBuses = !usesBus ? [] :',
    ],
    [
      'the current bus counts as another one',
      'filter(({ id }) => id !== current?.id);\n  return Math.max',
      'filter(({ id }) => id !== undefined);\n  return Math.max',
    ],
  ),
  ...mutantsOf(
    'actors/service/worker/bookings.ts',
    [`${WORKER}/bookings.test.ts`],
    [
      'a booking of another attempt of the task is found',
      ' || attempt.attemptNumber !== attemptNumber) continue;',
      ') continue;',
    ],
    [
      'a booking of another job is found',
      'attempt.stepOrder === stepOrder && attempt.jobId === jobId',
      'attempt.stepOrder === stepOrder',
    ],
    [
      'the last booking is removed in place of another',
      'else this.held.splice(position, 1);',
      'else this.held.pop();',
    ],
  ),
  ...mutantsOf(
    'actors/service/farm/expiry-limiter.ts',
    [`${FARM}/expiry-limiter.test.ts`, `${WORKER}/liveness.test.ts`],
    [
      'an expiry after the deferral has a negative delay',
      'return Math.max(0, limiter.deferredUntil - now);',
      'return limiter.deferredUntil - now;',
    ],
    ['a deferral never ends', 'return Math.max(0, limiter.deferredUntil - now);', 'return timeoutMs;'],
    ['a burst never ends', 'age > 3 * timeoutMs || age < 0', 'age < 0'],
    ['a small farm defers', 'online < WORKERS_MIN || ', ''],
    [
      'one worker more than the share expires',
      'limiter.burst <= online * SHARE_MAX',
      'limiter.burst <= online * SHARE_MAX + 1',
    ],
    ['the burst is not counted', '  limiter.burst++;\n', ''],
  ),
  ...mutantsOf(
    'actors/service/farm/on-worker.ts',
    [`${WORKER}/presence.test.ts`, `${FARM}/farm.test.ts`],
    [
      'the name of an online worker is taken over',
      " && namesake.status !== 'offline') {",
      " && namesake.status === 'disabled') {",
    ],
    [
      'an earlier incarnation registers',
      'if (known !== undefined && keepsOut(known.incarnation, registration.incarnation)) {',
      'if (known === undefined && keepsOut(registration.incarnation, registration.incarnation)) {',
    ],
    [
      'every registration gets a new ordinal',
      'predecessor?.ordinal ?? newOrdinal(state, registration, context)',
      'newOrdinal(state, registration, context)',
    ],
    [
      'an unknown queue is ignored',
      'if (queue === undefined) return `the farm has no queue ${JSON.stringify(text)}`;',
      'if (queue === undefined) continue;',
    ],
  ),
  ...mutantsOf(
    'actors/service/farm/on-job-ended.ts',
    [
      `${FARM}/dependencies.test.ts`,
      `${FARM}/deleted-upstream.test.ts`,
      'test/actors/service/retention/retention.test.ts',
    ],
    [
      'a job waits for its first upstream only',
      '!== true || waitsFor.size > 0) continue;',
      '!== true) continue;',
    ],
    [
      'a failed job releases its dependents',
      "if (status === 'completed') releaseDependents",
      "if (status !== 'canceled') releaseDependents",
    ],
    [
      'dependents of a deleted job wait permanently',
      '  cancelDependents(state, message.jobId, context);\n}\n\n/** Forwards',
      '}\n\n/** Forwards',
    ],
    [
      'retention deletes a job that others wait for',
      'state.activeJobs.has(id) || state.dependents.has(id)',
      'state.activeJobs.has(id)',
    ],
    ['an ended job stays active', '  state.activeJobs.delete(id);\n', ''],
  ),
  ...mutantsOf(
    'actors/service/farm/state.ts',
    [
      `${FARM}/service-restart.test.ts`,
      `${FARM}/dependencies.test.ts`,
      `${FARM}/deleted-upstream.test.ts`,
      `${FARM}/farm.test.ts`,
      `${WORKER}/presence.test.ts`,
      `${WORKER}/delete.test.ts`,
    ],
    [
      'an ordinal is used again after a restart',
      'state.nextOrdinal = lastNumberOfKey(key) + 1;',
      'state.nextOrdinal = lastNumberOfKey(key);',
    ],
    [
      'a job whose upstream failed while the service was down waits permanently',
      'state.jobsToCancel.push(job.id);',
      'void job;',
    ],
    [
      'a completed upstream is waited for after a restart',
      "ends[each] !== 'completed'",
      "ends[each] !== 'failed'",
    ],
  ),
];
