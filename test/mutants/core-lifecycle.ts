import { mutantsOf, type Mutant } from './mutant.ts';

const LIFE = 'test/core/lifecycle';

/** Mutants of the states of jobs, steps and tasks, and of explanations. */
export const LIFECYCLE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/core/lifecycle/retry-policy.ts',
    [`${LIFE}/retry-policy.test.ts`],
    [
      'the retry in the millisecond of the failure is not delayed',
      'task.updatedAt <= now;',
      'task.updatedAt < now;',
    ],
    ['a delay lasts a millisecond longer', 'task.retryAfter > now && ', 'task.retryAfter >= now && '],
    ['a clock that was set back prolongs the delay', ' && task.updatedAt <= now;', ';'],
    [
      'the failure limit is exceeded by one',
      'jobFailures >= policy.failureLimit',
      'jobFailures > policy.failureLimit',
    ],
    ['no limit parks every job', 'policy.failureLimit > 0 && ', ''],
    [
      'one attempt more than allowed',
      'taskFailures < policy.maxAttempts',
      'taskFailures <= policy.maxAttempts',
    ],
    [
      'the level above wins',
      'maxAttempts: level.maxAttempts ?? policy.maxAttempts',
      'maxAttempts: policy.maxAttempts ?? level.maxAttempts',
    ],
  ),
  ...mutantsOf(
    'src/core/lifecycle/chunk-sizes.ts',
    [`${LIFE}/chunk-sizes.test.ts`],
    [
      'a target of 0 seconds is one',
      'chunks === undefined || chunks.targetRuntimeSeconds === 0',
      'chunks === undefined',
    ],
    [
      'the earliest attempts count',
      'chunks.measured.slice(1 - MEASURED_MAX)',
      'chunks.measured.slice(0, MEASURED_MAX - 1)',
    ],
    ['a chunk may have no value', 'Math.max(1, Math.floor(', 'Math.max(0, Math.floor('],
    ['the size jumps after one fast chunk', 'Math.max(current, Math.min(wanted, largest))', 'wanted'],
    [
      'small chunks at gaps make others smaller',
      'Math.max(current, Math.min(wanted, largest))',
      'Math.min(wanted, largest)',
    ],
    ['each little difference changes the size', 'size !== current && isFar', 'size !== current'],
    ['the size changes without end', ' || changes >= CHUNK_CHANGES_MAX', ''],
  ),
  ...mutantsOf(
    'src/core/lifecycle/recut-chunks.ts',
    [`${LIFE}/chunk-sizes.test.ts`, 'test/actors/service/job/adaptive-chunks.test.ts'],
    ['smaller chunks make too many tasks', 'while (count > most && size < sizeMax)', 'while (count < 0)'],
    ['a section of tasks that are cut again stays', 'firstTask < from', 'firstTask <= from'],
    [
      'the first task of the rest is cut off',
      'space.itemsOf(from);',
      'space.itemsOf(Math.min(from + 1, space.length - 1));',
    ],
  ),
  ...mutantsOf(
    'src/core/lifecycle/failure-tallies.ts',
    [`${LIFE}/failure-tallies.test.ts`],
    ['the list of steps is not limited', 'steps.slice(-WORKER_FAILURE_STEPS_MAX)', 'steps'],
    [
      'the latest steps are dropped',
      'steps.slice(-WORKER_FAILURE_STEPS_MAX)',
      'steps.slice(0, WORKER_FAILURE_STEPS_MAX)',
    ],
    [
      'a step keeps its place',
      'const steps = [...others, { jobId, stepOrder, failures, lastAt: now }];',
      'const steps = [{ jobId, stepOrder, failures, lastAt: now }, ...others];',
    ],
    [
      'steps of other jobs are taken for it',
      'step.jobId === jobId && step.stepOrder === stepOrder;',
      'step.stepOrder === stepOrder;',
    ],
  ),
  ...mutantsOf(
    'src/core/lifecycle/step-rules.ts',
    [`${LIFE}/step-rules.test.ts`],
    [
      'a canceled task hides a failed one',
      "if (counts.failed > 0) return 'failed';\n    return counts.canceled > 0 ? 'canceled' : 'completed';",
      "if (counts.canceled > 0) return 'canceled';\n    return counts.failed > 0 ? 'failed' : 'completed';",
    ],
    ['assigned tasks do not run', 'counts.assigned + counts.running > 0', 'counts.running > 0'],
    ['a job ends while a step is open', ' || !steps.every(isTerminalStep)) return null;', ') return null;'],
    [
      'a canceled step completes its job',
      "steps.every((status) => status === 'completed')",
      "!steps.includes('failed')",
    ],
  ),
  ...mutantsOf(
    'src/core/lifecycle/task-counts.ts',
    [`${LIFE}/task-counts.test.ts`],
    ['tasks are moved one at a time', '  counts[from] -= howMany;', '  counts[from] -= 1;'],
    ['unschedulable tasks are not summed', '  sum.unschedulable += sign * counts.unschedulable;\n', ''],
    ['a sum keeps the counts that are replaced', '  add(replaced, before, -1);\n', ''],
  ),
  ...mutantsOf(
    'src/core/lifecycle/job-transitions.ts',
    [`${LIFE}/job-transitions.test.ts`],
    [
      'a blocked job ignores a failed upstream',
      "  { from: 'blocked', trigger: 'upstream failed', to: 'canceled' },\n",
      '',
    ],
    [
      'a resumed job runs without waiting for its upstreams',
      "{ from: 'paused', trigger: 'resume to blocked', to: 'blocked' }",
      "{ from: 'paused', trigger: 'resume to blocked', to: 'pending' }",
    ],
    [
      'a failed job is not terminal',
      "return status === 'completed' || status === 'failed' || status === 'canceled';",
      "return status === 'completed' || status === 'canceled';",
    ],
  ),
  ...mutantsOf(
    'src/core/lifecycle/task-transitions.ts',
    [`${LIFE}/task-transitions.test.ts`],
    [
      'a succeeded task can be retried',
      "  { from: 'canceled', trigger: 'manual retry', to: 'pending' },\n",
      "  { from: 'canceled', trigger: 'manual retry', to: 'pending' },\n  { from: 'succeeded', trigger: 'manual retry', to: 'pending' },\n",
    ],
    [
      'a reclaimed task fails',
      "{ from: 'running', trigger: 'reclaim', to: 'ready' }",
      "{ from: 'running', trigger: 'reclaim', to: 'failed' }",
    ],
    [
      'an assigned task is not live',
      "return status === 'assigned' || status === 'running';",
      "return status === 'running';",
    ],
  ),
  ...mutantsOf(
    'src/core/delivery/path-map.ts',
    ['test/core/delivery/path-map.test.ts'],
    [
      'the default root wins',
      '(own ?? roots.find(({ place }) => place === DEFAULT_ROOT))?.root',
      '(roots.find(({ place }) => place === DEFAULT_ROOT) ?? own)?.root',
    ],
    [
      'short sources come first',
      '.sort((a, b) => b.source.length - a.source.length)',
      '.sort((a, b) => a.source.length - b.source.length)',
    ],
    ['a root below another source is mapped away', 'return [...rules, ...kept]', 'return [...rules]'],
    ['changed locations keep their maps', '    this.byPlace.clear();\n', ''],
    ['a drive letter is a POSIX path', '/^(?:[A-Za-z]:|\\\\\\\\)/', '/^(?:\\\\\\\\)/'],
  ),
  ...mutantsOf(
    'src/core/delivery/staging-plan.ts',
    ['test/core/delivery/staging-plan.test.ts'],
    [
      'a path may climb out of its root',
      "if (parts.includes('..')) return 'must not climb with \"..\"';",
      '',
    ],
    [
      'a shorter root wins',
      'roots.toSorted((a, b) => b.length - a.length)',
      'roots.toSorted((a, b) => a.length - b.length)',
    ],
    [
      'elements of a list share a directory',
      "...(parameter.type === 'PATH' ? [] : [String(index)])",
      '...[]',
    ],
    [
      'a path next to a root is below it',
      'rootParts.every((part, index) => part === parts[index])',
      'rootParts.some((part, index) => part === parts[index])',
    ],
  ),
  ...mutantsOf(
    'src/core/access/isolated-environment.ts',
    ['test/core/access/isolated-environment.test.ts'],
    ['a glob passes variables of the loader on', 'NEVER.test(name) || ', ''],
    ['a glob matches a part of a name', 'new RegExp(`^${', 'new RegExp(`${'],
    ['the home of the worker is kept', 'HOME: account.home,', "HOME: own['HOME'] ?? account.home,"],
  ),
  ...mutantsOf(
    'src/core/access/isolation-names.ts',
    ['test/core/access/isolation-names.test.ts'],
    [
      'an account with the user id 0 runs tasks',
      'if (account.userId === ROOT_ID) return `the account ${shown(account.user)} has the user id 0`;',
      '',
    ],
    [
      'an account in the group 0 runs tasks',
      '  if (account.groupId === ROOT_ID)\n',
      '  if (account.groupId < ROOT_ID)\n',
    ],
    ['the supplementary group 0 is kept', '  supplementary.delete(ROOT_ID);\n', ''],
    ['upper case hides a privileged name', ".replace(/\\s+/g, ' ').toLowerCase()", ".replace(/\\s+/g, ' ')"],
    ['a number is a name', ' || !hasLetter(bareName(name))) {', ') {'],
    [
      'a name before a domain is not looked at',
      'const user = at === -1 ? unqualified : unqualified.slice(0, at);',
      'const user = unqualified;',
    ],
  ),
  ...mutantsOf(
    'src/core/explain/upstream-gates.ts',
    ['test/core/explain/explain-task.test.ts'],
    ['a completed upstream is waited for', "if (record?.status === 'completed') return [];", ''],
    [
      'a paused job waits for nothing',
      " || (job.status === 'paused' && job.waitsWhilePaused === true);",
      ';',
    ],
    [
      'failed tasks are left',
      'counts.total - counts.succeeded - counts.failed - counts.canceled',
      'counts.total - counts.succeeded',
    ],
  ),
  ...mutantsOf(
    'src/core/explain/hold-gates.ts',
    ['test/core/explain/explain-task.test.ts'],
    [
      'a delay that has ended holds a task back',
      'if (until === null || until <= now) return [];',
      'if (until === null) return [];',
    ],
    ['a parked job is called paused', 'const isParked = parkReason !== null;', 'const isParked = false;'],
  ),
  ...mutantsOf(
    'src/core/explain/waiting-summary.ts',
    ['test/core/explain/explain-task.test.ts'],
    ['the lightest reason leads', 'rankOf(a) - rankOf(b)', 'rankOf(b) - rankOf(a)'],
    ['queueing is an obstacle', "(['cores', 'amounts', 'order'])", "(['cores', 'amounts'])"],
  ),
  ...mutantsOf(
    'src/core/duration.ts',
    ['test/core/config/duration.test.ts'],
    ['a minute has a hundred seconds', 'm: 60_000', 'm: 100_000'],
    ['a duration with text behind it is valid', '(ms|s|m|h)$/', '(ms|s|m|h)/'],
    ['rests are rounded away', 'ms >= UNITS_MS[unit] && ms % UNITS_MS[unit] === 0', 'ms >= UNITS_MS[unit]'],
  ),
];
