import { mutantsOf, type Mutant } from './mutant.ts';

const VERDICT = 'test/core/quarantine/verdict.test.ts';
const ACTORS = 'test/actors/service/worker/quarantine.test.ts';
const OUTAGES = 'test/actors/service/lease/outages.test.ts';
const CANARIES = 'test/actors/service/job/canaries.test.ts';

/** Mutants of the rules of quarantine and canary tasks. */
export const CORE_QUARANTINE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/core/quarantine/verdict.ts',
    [VERDICT, ACTORS],
    ['the share of other workers has no prior', '(failed + PRIOR_FAILED)', '(failed + 5)'],
    ['successes do not outweigh failures', 'step.successes * weightOfSuccess(step.others)', '0'],
    [
      'open failures count for a quarantine',
      "step.elsewhere + (counted === 'known' ? 0 : step.open)",
      'step.elsewhere + step.open',
    ],
    ['two failures are enough for a quarantine', 'step.elsewhere >= CONVICTED_FAILURES_MIN && ', ''],
    [
      'a step that fails on all workers puts one in quarantine',
      "oddsInStep(step, 'known') >= stepThreshold(step);",
      "oddsInStep(step, 'known') >= 0;",
    ],
    ['a suspicion does not end', 'at > now - SUSPICION_MS && at <= now;', 'at <= now;'],
    [
      'a suspicion is older than its failures',
      'at > now - SUSPICION_MS && at <= now;',
      'at > now - SUSPICION_MS;',
    ],
    ['failures of one job are enough as a whole', ' && jobs >= STREAK_JOBS_MIN', ''],
    ['two failures are enough as a whole', 'failures >= STREAK_FAILURES_MIN && ', ''],
    ['a quarantine for a step is forgotten', 'if (quarantine !== undefined)\n', 'if (false)\n'],
  ),
  ...mutantsOf(
    'src/core/quarantine/evidence.ts',
    [VERDICT, ACTORS],
    [
      'a verdict leaves the failure open',
      "open: step.open - (verdict === 'open' ? 0 : 1),",
      'open: step.open,',
    ],
    [
      'a failure on another worker closes the failure',
      "open: step.open - (verdict === 'open' ? 0 : 1),",
      'open: step.open - 1,',
    ],
    [
      'a task that fails everywhere counts against the worker',
      "(verdict === 'elsewhere' ? 1 : 0)",
      "(verdict !== 'unknown' ? 1 : 0)",
    ],
    ['a success does not end a streak', '{ ...before, steps, streak: [] };', '{ ...before, steps };'],
    ['old quarantines are forgotten', 'each.quarantine !== undefined || ', ''],
    [
      'failures are never forgiven',
      "step.quarantine === undefined && oddsInStep(next, 'known and open') <= 0",
      'false',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/worker-doubts.ts',
    ['test/core/lease/worker-doubts.test.ts', ACTORS],
    [
      'many suspects are kept from everything',
      'suspects.length > mostDoubted(online) ? NONE : suspects',
      'suspects',
    ],
    [
      'suspects get tasks',
      'if (ofStep === undefined) return suspects;',
      'if (ofStep === undefined) return NONE;',
    ],
    ['a lifted doubt remains', '      ofStep?.delete(workerId);\n', ''],
  ),
  ...mutantsOf(
    'actors/service/job/judge-failures.ts',
    [ACTORS],
    [
      'a success on the same worker counts against it',
      "worker === workerId ? 'unknown' : 'elsewhere'",
      "'elsewhere'",
    ],
    ['a failure on another worker does not reach the first', 'if (isNew || isFinal)\n', 'if (isFinal)\n'],
    ['a final failure stays open', "!isFinal ? 'open' : isElsewhereToo", 'isElsewhereToo'],
  ),
  ...mutantsOf(
    'actors/service/lease/grant-quarantines.ts',
    [ACTORS],
    [
      'a quarantine is granted although many workers are in doubt',
      '  if (inDoubt.size > mostDoubted(state.kinds.online)) return;\n',
      '',
    ],
  ),
  ...mutantsOf(
    'src/core/lifecycle/canaries.ts',
    ['test/core/lifecycle/canaries.test.ts', CANARIES],
    ['the others start after two canary tasks', 'endedOf(step) < CANARIES;', 'endedOf(step) < CANARIES - 1;'],
    ['a job is parked although a task has succeeded', 'step.taskCounts.succeeded === 0 &&\n', 'true &&\n'],
    ['failures on one worker park a job', ' && workers >= WORKERS_MIN', ''],
  ),
  ...mutantsOf(
    'actors/service/job/canaries.ts',
    [CANARIES],
    ['tasks behind canary tasks start', 'probes !== null && !probes.includes(index)', 'false'],
    ['the setting of the queue does not count', ' || inherited.canaryTasks === true', ''],
  ),
  ...mutantsOf(
    'src/core/outages/detect.ts',
    ['test/core/outages/decide.test.ts', OUTAGES],
    ['failures of one job are an outage', "countOf(failures, 'jobId') < jobs || ", ''],
    ['failures on one worker are an outage', " || countOf(failures, 'workerId') < workers", ''],
    [
      'a pool that not all failures share is held',
      "if (place.kind === 'usage pool' && !ofAll) continue;",
      '',
    ],
    ['successes do not refute an outage', 'successes > failures.length * SUCCESSES_PER_FAILURE_MAX', 'false'],
    ['messages that say nothing are compared', " || last.key === ''", ''],
  ),
  ...mutantsOf(
    'src/core/outages/decide.ts',
    ['test/core/outages/decide.test.ts', OUTAGES],
    ['a hold does not double', '2 ** Math.min(times - 1, 30)', '1'],
    ['a probe does not pass by running', '(probe !== null && probe.passesAt <= now)', 'false'],
    ['a lost probe holds the place without end', '{ ...outage, probe: null, probed });', 'outage);'],
    ['failures of attempts from before the end count', 'end.startedAt < outage.endedAt', 'false'],
    ['several tasks are tried', 'keepsBack(outage, now) ? 0 : 1', '(outage.until > now ? 0 : 1)'],
    ['old failures are part of an outage', 'now - at < windowSeconds * SECOND_MS && at <= now', 'at <= now'],
  ),
  ...mutantsOf(
    'actors/service/job/failed-on.ts',
    ['test/actors/service/lease/avoidance.test.ts'],
    [
      'the workers of failures are in the order of the failures until the job is loaded again',
      '[...before, workerId].sort()',
      '[...before, workerId]',
    ],
    [
      'the workers of failures are in another order after the job was loaded',
      'return [...workers].sort();',
      'return [...workers];',
    ],
  ),
  ...mutantsOf(
    'actors/service/lease/serve.ts',
    [OUTAGES, 'test/sim/cold-outages.test.ts'],
    [
      'the workers of a location that is held no longer are served in the order in which they were loaded',
      'for (const request of state.parked.inOrder()) {',
      'for (const request of [...workers].flatMap((id) => state.parked.ofWorker(id))) {',
    ],
  ),
  ...mutantsOf(
    'actors/service/job/outage-failures.ts',
    [OUTAGES],
    [
      'the failures before an outage count',
      'failedAttempts: task.failedAttempts - 1 });',
      'failedAttempts: task.failedAttempts });',
    ],
    ['a parked job stays parked', 'if (isParked) turn.resume();\n', ''],
    ['a worker is avoided after an outage', '    forgetFailedOn(state, step, index, workerId);\n', ''],
  ),
  ...mutantsOf(
    'actors/service/lease/outage-state.ts',
    [OUTAGES],
    ['a held location starts tasks', 'room === 0 ? null : ', ''],
    ['each probe is of the same job', '!probed.includes(jobId)', 'true'],
  ),
];
