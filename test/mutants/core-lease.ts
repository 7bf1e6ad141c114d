import { mutantsOf, type Mutant } from './mutant.ts';

const LEASE = 'test/core/lease';

/** Mutants of the rules of leases. */
export const CORE_LEASE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/core/lease/caps.ts',
    [
      `${LEASE}/ready-index.test.ts`,
      'test/actors/service/lease/lease.test.ts',
      'test/actors/service/job/update.test.ts',
    ],
    [
      'the cap of the farm does not count',
      'Math.min(roomOf(this.farm), roomOf(this.ofQueue(queueId)))',
      'roomOf(this.ofQueue(queueId))',
    ],
    ['a paused queue has room', '  if (limit.paused) return 0;\n', ''],
    [
      'one task more than the cap runs',
      'limit.maxConcurrentTasks - limit.live;',
      'limit.maxConcurrentTasks - limit.live + 1;',
    ],
    ['room in the farm is not reported', 'return inFarm || inQueue;', 'return inQueue;'],
    [
      'the limit of another queue is used',
      'if (queueId === this.lastQueue) return this.lastLimit;',
      'if (this.lastQueue !== null) return this.lastLimit;',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/own-caps.ts',
    ['test/actors/service/lease/own-caps.test.ts'],
    [
      'the cap of the job does not count',
      'Math.min(roomUnder(maxConcurrentTasks, live), roomUnder(job.maxConcurrentTasks, job.live));',
      'roomUnder(maxConcurrentTasks, live);',
    ],
    ['one task more than an own cap runs', 'Math.max(0, cap - live)', 'Math.max(0, cap + 1 - live)'],
    [
      'a cap of a step alone is not followed',
      'maxConcurrentTasks > 0 || cappedSteps > 0',
      'maxConcurrentTasks > 0',
    ],
  ),
  ...mutantsOf(
    'src/core/records/job-caps.ts',
    ['test/actors/service/lease/own-caps.test.ts', 'test/http/routes/update-job.test.ts'],
    ['a change removes the caps of other steps', ': capOfStep(before, name);', ': 0;'],
    ['a cap cannot be removed', 'cap === 0 ? [] : [[name, cap]]', '[[name, Math.max(1, cap)]]'],
    ['an unknown step is accepted', '!steps.some((step) => step.name === name)', 'steps.length === 0'],
  ),
  ...mutantsOf(
    'src/core/lease/eligibility.ts',
    [`${LEASE}/eligibility.test.ts`],
    [
      'a worker of other queues is eligible',
      'worker.queueIds.length > 0 && !worker.queueIds.includes(demand.queueId)',
      'worker.queueIds.length > 1 && !worker.queueIds.includes(demand.queueId)',
    ],
    [
      'a worker of another place is eligible',
      "requirements.computeLocation !== '' && requirements.computeLocation !== worker.computeLocation",
      "worker.computeLocation !== '' && requirements.computeLocation !== '' && requirements.computeLocation !== worker.computeLocation",
    ],
    [
      'a worker with exactly enough cores is too small',
      'if (cores > worker.cpuCount) {',
      'if (cores >= worker.cpuCount) {',
    ],
    ['a maximum does not count', ' || offered > (requirement.max ?? Infinity)) {', ') {'],
    [
      'a missing amount is enough',
      'worker.amounts.get(requirement.name) ?? 0',
      'worker.amounts.get(requirement.name) ?? Infinity',
    ],
    [
      'half a core rounds to zero',
      'Math.max(1, Math.ceil(requirements.cores))',
      'Math.ceil(requirements.cores - 0.5)',
    ],
    [
      'one value is enough for allOf',
      'attribute.allOf.every((each) => fold(each) === offered)',
      'attribute.allOf.some((each) => fold(each) === offered)',
    ],
    ['places are compared without case', "new Set(['attr.worker.computelocation'])", 'new Set([])'],
    [
      'limits of expressions do not count',
      'requirements.usesExpressions === true && shortfall !== null',
      'requirements.usesExpressions === true && shortfall === undefined',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/ready-tasks.ts',
    [`${LEASE}/ready-tasks.test.ts`],
    [
      'tasks that avoid workers are counted twice',
      'this.inGroups += group.tasks.size - before;',
      'this.inGroups += group.tasks.size;',
    ],
    [
      'tasks are taken past the next one',
      'takeFirst(Math.min(howMany - taken.size, upTo))',
      'takeFirst(howMany - taken.size)',
    ],
    [
      'tasks of forbidden groups are taken',
      'for (const { avoided, tasks } of this.groups.values()) if (allows(avoided)) sets.push(tasks);',
      'for (const { tasks } of this.groups.values()) sets.push(tasks);',
    ],
    [
      'the number of tasks below counts the task itself',
      'Math.min(length, index - start)',
      'Math.min(length, index - start + 1)',
    ],
    ['a removed task of a group stays counted', '      this.inGroups--;\n', ''],
  ),
  ...mutantsOf(
    'src/core/lease/task-ranges.ts',
    [`${LEASE}/task-ranges.test.ts`],
    [
      'adjacent runs are not joined',
      'run !== undefined && run.start <= end; run',
      'run !== undefined && run.start < end; run',
    ],
    [
      'the rest of a run behind a removed index is lost',
      'if (index + 1 < run.end) parts.push',
      'if (index + 2 < run.end) parts.push',
    ],
    ['a removed index stays counted', '    this.total--;\n', ''],
    [
      'a run that is taken in part starts too early',
      'this.runs[used] = { start: run.start + count, end: run.end };',
      'this.runs[used] = { start: run.start + count - 1, end: run.end };',
    ],
    ['runs that were taken first stay', '    if (used > 0) this.runs.splice(0, used);\n', ''],
    [
      'an index before the first run is in it',
      'return run !== undefined && run.start <= index;',
      'return run !== undefined;',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/candidate-order.ts',
    [`${LEASE}/candidate-order.test.ts`],
    ['low priorities come first', 'return b.priority - a.priority;', 'return a.priority - b.priority;'],
    [
      'jobs of one millisecond have the order of their steps',
      'if (a.jobId !== b.jobId) return a.jobId < b.jobId ? -1 : 1;',
      '',
    ],
    ['later steps come first', 'return a.stepOrder - b.stepOrder;', 'return b.stepOrder - a.stepOrder;'],
  ),
  ...mutantsOf(
    'src/core/lease/farm-pools.ts',
    [
      `${LEASE}/farm-pools.test.ts`,
      'test/actors/service/lease/pools.test.ts',
      'test/actors/service/catalog/usage-pools.test.ts',
    ],
    [
      'slots of a partly refused claim stay taken',
      'this.giveBack(each, demand, each.granted - granted, granted === 0, worker);',
      '{}',
    ],
    [
      'an unregistered pool has room',
      'if (pool === undefined || this.held.has(name)) return 0;',
      'if (pool === undefined) continue;\n      if (this.held.has(name)) return 0;',
    ],
    ['a full pool serves no request', '    this.tallies.notifyWhenFreed(this.farmId, slot);\n', ''],
    ['slots are claimed before the live tasks are counted', '    if (!this.isCounted) return 0;\n', ''],
    [
      'a pool that is registered again has no live tasks',
      'if (known?.slot === slot && known.counts === counts) continue;',
      'if (known?.slot !== slot) continue;',
    ],
    ['a pool is not counted again when it counts something else', ' && known.counts === counts', ''],
    ['each task on a host takes a slot', 'if (this.isOnHost(name, worker)) return', 'if (count < 0) return'],
    [
      'a host keeps the slot of a task that did not start',
      'Number(isNothingLeft && !this.isOnHost(name, worker))',
      '0',
    ],
    [
      'slots of a task that did not get all are not given back',
      'if (slots > granted * each)',
      'if (slots < granted)',
    ],
    ['a removed pool keeps its share', '      this.tallies.setShare(this.farmId, slot, 0);\n', ''],
    ['released slots are released again', '    this.released.clear();\n', ''],
    [
      'a released slot is not live any longer only in the tallies',
      'this.addAll(name, { demand, workers }, -1);',
      '',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/committed-shares.ts',
    [`${LEASE}/committed-shares.test.ts`],
    [
      'a disabled worker counts as online',
      "if (worker.status === 'online') online",
      "if (worker.status !== 'offline') online",
    ],
    [
      'slots of a disabled worker are free after a restart',
      "if (worker.status === 'online') online",
      "if (worker.status !== 'online') continue;\n    online",
    ],
    ['one worker of each farm is counted', '(online.get(worker.farmId) ?? 0) + 1', '1'],
    ['the pools of the first step count for all', 'ofSteps[attempt.stepOrder];', 'ofSteps[0];'],
    ['a task takes one slot of each pool', 'slotsOfTask(demand, name)', '1'],
    ['each worker is a host', 'worker.hostname', 'worker.id'],
  ),
  ...mutantsOf(
    'src/core/lease/parked-requests.ts',
    [`${LEASE}/parked-requests.test.ts`, 'test/actors/service/lease/lease.test.ts'],
    [
      'a replaced request stays',
      'const replaced = this.take(request.workerId, request.queueId);',
      'const replaced = this.bySlot.get(slotKey(request.workerId, request.queueId))?.request ?? null;',
    ],
    ['the latest request comes first', 'a.next.order < b.next.order', 'a.next.order > b.next.order'],
    [
      'requests for other queues are woken',
      '        if (queueId !== null && queueId !== signature.queueId) continue;\n',
      '',
    ],
    ['requests without enough cores are woken', 'if (cores <= group.freeCores && has', 'if (has'],
    [
      'a request with exactly enough cores is not woken',
      'if (cores <= group.freeCores && has',
      'if (cores < group.freeCores && has',
    ],
    ['a hold ends a millisecond late', 'if (request.until > now) break;', 'if (request.until >= now) break;'],
    ['ineligible kinds are woken', '      if (!isKindEligible(kind, signature)) continue;\n', ''],
    [
      'requests that were taken meanwhile are woken',
      'if (next.group === group && this.all.has(next.request)) yield next.request;',
      'if (next.group === group) yield next.request;',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/ready-index.ts',
    [
      `${LEASE}/ready-index.test.ts`,
      'test/actors/service/lease/avoidance.test.ts',
      'test/actors/service/lease/reservation.test.ts',
    ],
    ['a withdrawn step is offered', '      entry.open = false;\n', ''],
    [
      'a closed step takes ready tasks',
      'if (entry?.open !== true) return null;',
      'if (entry === undefined) return null;',
    ],
    [
      'the wait of a step starts with its latest task',
      'entry.ready.size === 0 ? now : Math.min(entry.readySince, now)',
      'now',
    ],
    [
      'taken tasks do not count as live',
      '      this.countLive(step, count);\n',
      '      step.live += count;\n',
    ],
    ['a lease exceeds the free cores', 'Math.floor(free / cores)', 'Math.ceil(free / cores)'],
    ['a lease exceeds its number of tasks', '      left -= count;\n', ''],
    ['a lease takes all cores for each step', '      free -= count * cores;\n', ''],
    [
      'a request for one queue gets tasks of another',
      'else if (queueId !== null && signature.queueId !== queueId) continue;',
      '',
    ],
    [
      'a worker gets a task that failed on it',
      '!avoided.includes(worker.workerId) || !this.kinds.hasOther(signature, avoided)',
      'true',
    ],
    ['a task that failed everywhere is never leased', ' || !this.kinds.hasOther(signature, avoided);', ';'],
    [
      'a step that is overtaken by worse candidates is not marked',
      'if (step.isOvertaken || compareCandidates(step, best) > 0) continue;',
      'if (step.isOvertaken || compareCandidates(step, best) < 0) continue;',
    ],
    ['a removed step stays in the caps', '    this.countLive(entry, -entry.live);\n', ''],
    [
      'a step that is offered again counts twice in its pools',
      'const heldBefore = { demand: before?.requirements ?? NO_POOLS, workers: before?.liveOn ?? [] };',
      'const heldBefore = { demand: NO_POOLS, workers: [] };',
    ],
  ),
  ...mutantsOf(
    'src/core/lease/worker-amounts.ts',
    ['test/core/lease/booked-amounts.property.test.ts'],
    ['one amount exceeds the worker', 'if (counted * count > free)', 'if (counted * count > free + 1000)'],
    ['a task gets a GPU that another has for itself', 'use?.isWhole !== true && ', ''],
    ['a task gets a GPU for itself that others use', ': (use?.users ?? 0) === 0;', ': true;'],
    ['the memory of a GPU is not counted', 'use.memory += change * memory;', ''],
    ['the amounts of an ended task stay booked', 'this.count(holding, -1);', ''],
    ['a task on too few GPUs starts', 'return found.length < gpus ? null : found;', 'return found;'],
  ),
  ...mutantsOf(
    'src/core/lease/booked-amounts.ts',
    ['test/core/lease/booked-amounts.property.test.ts'],
    ['a step takes its share although it names the amount', 'wantedOf(requirements, name) ?? this.', 'this.'],
    [
      'a step takes its share although it takes none by default',
      "if (this.setting.byDefault === 'none') return 0;",
      '',
    ],
    ['thousandths are rounded down', 'Math.ceil(Math.round(', 'Math.floor(Math.round('],
    ['a share is rounded up', 'return Math.floor((total * coresOf', 'return Math.ceil((total * coresOf'],
    [
      'tasks share GPUs that are booked as a whole',
      'if (books.gpus && whole > 0)',
      'if (books.gpus && whole > 9)',
    ],
  ),
];
