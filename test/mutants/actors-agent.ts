import { mutantsOf, type Mutant } from './mutant.ts';

const AGENT = 'test/actors/agent';

/** Mutants of the worker's poller, outbox and log shipper. */
export const AGENT_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/agent/poller/assignments.ts',
    [`${AGENT}/poller.test.ts`, `${AGENT}/session-reuse.test.ts`],
    [
      'an assignment of a repeated reply runs twice',
      'if (state.held.has(attemptId) || state.ended.has(attemptId)) continue;',
      'if (state.ended.has(attemptId)) continue;',
    ],
    [
      'an assignment that has ended runs again',
      'if (state.held.has(attemptId) || state.ended.has(attemptId)) continue;',
      'if (state.held.has(attemptId)) continue;',
    ],
    ['a task runs at the same time as its earlier attempt', 'if (held.taskId === taskId) return true;', ''],
    ['queued attempts never start', '  if (state.registration !== null) beginQueued(state, context);\n', ''],
    [
      'doubted assignments start at once',
      'if (awaitingConfirmation) state.awaitingConfirmation.set(each.assignment.attempt_id, each);\n    else begin',
      'begin',
    ],
  ),
  ...mutantsOf(
    'actors/agent/poller/on-lease-answered.ts',
    [`${AGENT}/poller.test.ts`, `${AGENT}/piggyback.test.ts`],
    ['assignments of an earlier incarnation start', 'if (found !== null) takeReply', 'takeReply'],
    [
      'an empty reply is followed by a request at once',
      'reply.assignments.length === 0 && context.now',
      'reply.assignments.length < 0 && context.now',
    ],
    [
      'a late reply needs no confirmation',
      'else takeAssignments(state, reply, true, context);',
      'else takeAssignments(state, reply, false, context);',
    ],
    ['an old reply needs no confirmation', ' || context.now - request.sentAt >= leaseFreshMs;', ';'],
    [
      'a reply from before a stall needs no confirmation',
      'return request.sentAt < context.receivingSince || ',
      'return ',
    ],
    [
      'no request follows assignments',
      '  takeAssignments(state, reply, needsConfirmation(request, registration, context), context);\n  requestWork(state, cpuCount, context);',
      '  takeAssignments(state, reply, needsConfirmation(request, registration, context), context);',
    ],
  ),
  ...mutantsOf(
    'actors/agent/poller/request-work.ts',
    [`${AGENT}/poller.test.ts`, `${AGENT}/piggyback.test.ts`],
    ['a full worker requests work', ' || heldCores(state) >= cpuCount) return;', ') return;'],
    [
      'a queue has two requests',
      'if (state.requests.has(queue) || state.inBackoff.has(queue)) continue;',
      'if (state.inBackoff.has(queue)) continue;',
    ],
    ['the delay does not grow', 'state.tries.set(queue, tries + 1);', ''],
    [
      'reports wait for the reply of a parked request',
      'if (context.now - sentAt < AGENT_LIMITS.piggybackWaitMs) return;',
      'if (sentAt > 0) return;',
    ],
  ),
  ...mutantsOf(
    'actors/agent/outbox/piggyback.ts',
    [`${AGENT}/piggyback.test.ts`, `${AGENT}/outbox.test.ts`],
    [
      'unconfirmed reports of a lease request are lost',
      'for (const attemptId of state.piggybacked.get(requestId) ?? []) publishReport(state, attemptId, context);',
      '',
    ],
    [
      'a report waits for a request without a limit',
      "  context.after(attemptId, AGENT_LIMITS.piggybackWaitMs, { type: 'report.due', attemptId });\n",
      '',
    ],
    [
      'texts of reports do not count for their size',
      "FRAME_CHARACTERS + ESCAPED_CHARACTERS * texts.join('').length",
      'FRAME_CHARACTERS',
    ],
    [
      'a report travels with two requests',
      '    state.waiting.delete(attemptId);\n    context.after',
      '    context.after',
    ],
  ),
  ...mutantsOf(
    'actors/agent/outbox/outbox-actor.ts',
    [`${AGENT}/outbox.test.ts`, `${AGENT}/piggyback.test.ts`, `${AGENT}/registrar.test.ts`],
    [
      'reports of an earlier daemon are not published',
      'for (const attemptId of state.reports.keys()) publishReport(state, attemptId, context);',
      '',
    ],
    ['a report is not kept on the disk', "        context.change({ op: 'report-kept', report });\n", ''],
    [
      'progress follows the end of its attempt',
      '        discardProgress(state, report.attempt_id, context);\n        context.change',
      '        context.change',
    ],
  ),
  ...mutantsOf(
    'actors/agent/outbox/on-report-sent.ts',
    [`${AGENT}/outbox.test.ts`],
    [
      'a stored report is not repeated',
      "  else context.after(attemptId, AGENT_LIMITS.reportRepeatMs, { type: 'report.due', attemptId });\n",
      '',
    ],
    [
      'a failed publish is not repeated',
      "  context.after(attemptId, delayMs, { type: 'report.due', attemptId });\n",
      '',
    ],
    [
      'the fate of the running report is taken for that of the end',
      '  if (outgoing?.report.status !== status) return;\n  outgoing.tries = 0;',
      '  if (outgoing === undefined) return;\n  outgoing.tries = 0;',
    ],
  ),
  ...mutantsOf(
    'actors/agent/outbox/publish-report.ts',
    [`${AGENT}/outbox.test.ts`, `${AGENT}/piggyback.test.ts`],
    [
      'a confirmed report stays on the disk',
      "if (discardReport(state, attemptId, context)) context.change({ op: 'report-confirmed', attemptId });",
      'discardReport(state, attemptId, context);',
    ],
    [
      'a published report also travels with a request',
      '  removeFromPiggyback(state, attemptId);\n  const outgoing',
      '  const outgoing',
    ],
  ),
  ...mutantsOf(
    'actors/agent/shipper/chunks.ts',
    [`${AGENT}/shipper.test.ts`, `${AGENT}/shipper-spool.test.ts`],
    [
      'a chunk is longer than its limit',
      'open.size + size > AGENT_LIMITS.logChunkBytes',
      'open.size > AGENT_LIMITS.logChunkBytes',
    ],
    ['streams share a chunk', 'open.stream !== stream || ', ''],
    ['chunks have the same number', '  state.lastSequence++;\n', ''],
    [
      'stored chunks hold the process back',
      '    stored.reduce((sum, { holds }) => sum + holds, 0),',
      '    0,',
    ],
    [
      'dropped lines leave no mark',
      '  if (dropped.lines === 0) return;',
      '  if (dropped.lines >= 0) return;',
    ],
  ),
  ...mutantsOf(
    'actors/agent/shipper/forward.ts',
    [`${AGENT}/shipper.test.ts`, `${AGENT}/shipper-spool.test.ts`],
    [
      'chunks in flight are published again',
      '  if (state.underWay > 0 || state.isUnspooling) return false;\n',
      '',
    ],
    [
      'newer chunks overtake the spool',
      '  if (state.isSpooled) {\n    state.isUnspooling = true;',
      '  if (state.isSpooled && state.sealed.length === 0) {\n    state.isUnspooling = true;',
    ],
    [
      'a session ends before its logs are stored',
      '  if (state.sealed.length > 0 || state.open !== null) return;\n',
      '',
    ],
    [
      'the shipper ends before its spool is empty',
      'state.isFinishing && !state.isSpooled',
      'state.isFinishing',
    ],
  ),
];
