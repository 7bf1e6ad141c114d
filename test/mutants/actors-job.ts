import { mutantsOf, type Mutant } from './mutant.ts';

const JOB = 'test/actors/service/job';

/** Mutants of the job actor. */
export const JOB_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/service/job/on-attempts-reclaim.ts',
    [`${JOB}/fences.test.ts`, `${JOB}/reaper.test.ts`],
    [
      'a late reclaim of an earlier attempt takes the open one',
      'if (taskOf(step, attempt.index).attemptNumber !== attempt.attemptNumber) continue;',
      '',
    ],
    [
      'only earlier attempts are fenced off a reclaim',
      '.attemptNumber !== attempt.attemptNumber) continue;',
      '.attemptNumber > attempt.attemptNumber) continue;',
    ],
    ['any reclaim lets the job become idle', ' && message.isStale === true) turn.moveJob', ') turn.moveJob'],
    ['the job stays running after its last stale task', "turn.moveJob('idle after reclaim')", 'undefined'],
    ['a reclaim is not saved', 'if (reclaimed > 0) turn.end();', ''],
  ),
  ...mutantsOf(
    'actors/service/job/on-attempts-held.ts',
    [`${JOB}/fences.test.ts`, `${JOB}/open-attempts.test.ts`, 'test/actors/service/worker/presence.test.ts'],
    [
      'a heartbeat with an earlier attempt starts the open one',
      ' || task.attemptNumber !== attempt.attemptNumber) continue;',
      ') continue;',
    ],
    ['a held attempt is not saved', 'if (moved > 0) turn.end();', ''],
  ),
  ...mutantsOf(
    'actors/service/job/assigned-runs.ts',
    [`${JOB}/assigned-runs.test.ts`, `${JOB}/fences.test.ts`],
    [
      'a run waits for any attempt of its tasks',
      'return readTask(page, index)?.assignedAt === assignedAt;',
      'return true;',
    ],
    ['runs of different times are joined', '      last.assignedAt === assignedAt &&\n', ''],
    [
      'runs with a gap are joined',
      'last.start + last.count === index &&',
      'last.start + last.count <= index &&',
    ],
    ['taken runs stay', '    this.runs = [];\n', ''],
    [
      'finished runs are never removed',
      'each === run || hasWaitingTask(each)',
      'each === run || each.count > 0',
    ],
    [
      'the first deadline is that of a finished run',
      'if (hasWaitingTask(run)) return run.dueAt;',
      'return run.dueAt;',
    ],
    [
      'a new run may be removed before its task is written',
      'each === run || hasWaitingTask(each)',
      'each !== run && hasWaitingTask(each)',
    ],
  ),
  ...mutantsOf(
    'actors/service/job/on-assigned-due.ts',
    [`${JOB}/reaper.test.ts`, `${JOB}/fences.test.ts`],
    ['time in which nothing could be received counts', 'Math.max(run.dueAt, earliest)', 'run.dueAt'],
    [
      'a deadline from a clock that was set back stays',
      'Math.min(Math.max(run.dueAt, earliest), context.now + staleAssignedMs)',
      'Math.max(run.dueAt, earliest)',
    ],
    ['a task that is due in this millisecond waits', 'dueAt <= context.now', 'dueAt < context.now'],
    [
      'the request is not repeated',
      '        state.assigned.add(step, index, assignedAt, isOverdue ? nextAt : dueAt);\n',
      '        if (!isOverdue) state.assigned.add(step, index, assignedAt, dueAt);\n',
    ],
    ['the timer is not set again', '    armAssigned(staleAssignedMs)(state, context);\n', ''],
    ['the timer counts as set permanently', '    state.isAssignedTimed = false;\n', ''],
    [
      'only the last overdue task of a worker is asked for',
      'else ofWorker.push(attemptId);',
      'else overdue.set(worker, [attemptId]);',
    ],
  ),
  ...mutantsOf(
    'actors/service/job/adapt-chunks.ts',
    [`${JOB}/adaptive-chunks.test.ts`],
    [
      'tasks that were canceled get other values',
      'if (readTaskStatus(page, index) !== null) return',
      "if (readTaskStatus(page, index) === 'succeeded') return",
    ],
    ['the counts do not follow the chunks', '  taskCounts.ready += change;', ''],
  ),
  ...mutantsOf(
    'actors/service/job/on-tasks-take.ts',
    [
      `${JOB}/take.test.ts`,
      `${JOB}/fences.test.ts`,
      `${JOB}/adaptive-chunks.test.ts`,
      'test/actors/service/lease/refusals.test.ts',
      'test/actors/service/lease/lease.test.ts',
    ],
    ['a task that chunks no longer have is leased', 'if (isGone || !leasable', 'if (!leasable'],
    [
      'a delayed task is leased',
      "task.status !== 'ready' || isHeld || isOutdated",
      "task.status !== 'ready' || isOutdated",
    ],
    ['tasks of a paused job are leased', "!leasable || task.status !== 'ready'", "task.status !== 'ready'"],
    [
      'a held-back pick never returns',
      'if (leasable && isAgain) makeReady',
      'if (leasable && !isAgain) makeReady',
    ],
    ['a held-back pick returns at once', 'isHeld ? task.retryAfter : null, context)', 'null, context)'],
    [
      'attempts after a restore repeat earlier numbers',
      'Math.max(task.attemptNumber + 1, attemptFloor)',
      'task.attemptNumber + 1',
    ],
    [
      'the attempt number is not raised',
      'Math.max(task.attemptNumber + 1, attemptFloor)',
      'Math.max(task.attemptNumber, attemptFloor)',
    ],
    [
      'the assigned task has no deadline',
      '        state.assigned.add(step, index, context.now, dueAt);\n',
      '',
    ],
    ['refused tasks are not counted', 'refused++;', ''],
    [
      'the worker does not receive its bookings',
      "      context.send('worker', message.workerId, { type: 'attempts.booked', bookings });\n",
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/job/reclaim.ts',
    [`${JOB}/reaper.test.ts`, `${JOB}/reports.test.ts`, `${JOB}/fences.test.ts`],
    [
      'a reclaim moves tasks that have ended',
      'if (!isLiveTask(taskOf(step, index).status)) return false;',
      '',
    ],
    ['a reclaimed task keeps its worker', 'assignedAt: null, workerOrdinal: null', 'assignedAt: null'],
    ['a reclaimed task is not offered again', '  makeReady(state, step, index, null, context);\n', ''],
    [
      'the attempt stays open after a reclaim',
      "  turn.closeAttempt(step, index, { status: 'failed', message: reason, reclaimed: true });\n",
      '',
    ],
  ),
  ...mutantsOf(
    'actors/service/job/on-tasks-reported.ts',
    [
      `${JOB}/reports.test.ts`,
      `${JOB}/failure.test.ts`,
      `${JOB}/progress.test.ts`,
      'test/actors/service/lease/avoidance.test.ts',
    ],
    [
      'reports of any attempt number count',
      'if (!isLiveTask(task.status) || !isCurrent) return ignoredReason',
      'if (!isLiveTask(task.status)) return ignoredReason',
    ],
    [
      'reports of a worker that does not hold the attempt count',
      "!== workerId) return 'not the holder';",
      "=== '') return 'not the holder';",
    ],
    ['a report of a task beyond the step counts', ' || attempt.index >= step.record.taskCount', ''],
    ['progress is stored also if it is unchanged', ' || !isNewProgress) return', ') return'],
  ),
  ...mutantsOf(
    'actors/service/job/apply-failure.ts',
    [
      `${JOB}/reports.test.ts`,
      `${JOB}/failure.test.ts`,
      `${JOB}/progress.test.ts`,
      'test/actors/service/lease/avoidance.test.ts',
    ],
    ['the retry delay is in milliseconds', 'policy.retryDelaySeconds * 1000', 'policy.retryDelaySeconds'],
    ['a failure does not count for its job', '  turn.patchJob({ failedAttempts: jobFailures });\n', ''],
    [
      'the failures of a task are one behind',
      'taskOf(step, index).failedAttempts + 1',
      'taskOf(step, index).failedAttempts',
    ],
    ['a retry does not prefer other workers', '    recordFailedOn(state, step, index, workerId);\n', ''],
    [
      'the job is parked although its task is merely exhausted',
      "outcome === 'auto-park' ? FAILURE_LIMIT_PARK_REASON : canaryParkOf(state, step);",
      'FAILURE_LIMIT_PARK_REASON;',
    ],
    [
      'a failed task has no reason',
      "  turn.setReason(step, index, reason, errorLineOf(report.failure_excerpt ?? ''));\n  const reasonToPark",
      '  const reasonToPark',
    ],
  ),
  ...mutantsOf(
    'actors/service/job/offers.ts',
    [
      'test/actors/service/farm/service-restart.test.ts',
      'test/actors/service/lease/recovery.test.ts',
      'test/actors/service/lease/avoidance.test.ts',
    ],
    ['a task that has run is offered after a restart', '    untouchedReady.remove(index);\n', ''],
    [
      'workers that a task failed on are forgotten at a restart',
      'if (avoided.length > 0) failed.push({ index, since, avoided });',
      '',
    ],
    [
      'running tasks do not count for the caps after a restart',
      'record.taskCounts.assigned + record.taskCounts.running',
      'record.taskCounts.assigned',
    ],
  ),
];
