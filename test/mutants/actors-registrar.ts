import { mutantsOf, type Mutant } from './mutant.ts';

const AGENT = 'test/actors/agent';

/** Mutants of the worker's registrar. */
export const REGISTRAR_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/agent/registrar/on-contact-lost.ts',
    [`${AGENT}/poller.test.ts`, `${AGENT}/registrar.test.ts`],
    [
      'a doubted assignment keeps the fence from ending',
      '    dropUnstarted(state);\n    context.send',
      '    context.send',
    ],
    [
      'tasks continue without contact',
      "    context.send('poller', 'poller', { type: 'attempts.interrupt', graceMs });\n",
      '',
    ],
    ['the worker registers while a task runs', 'if (state.running.size === 0) reregister', 'reregister'],
    [
      'a draining worker registers again',
      "    if (state.phase === 'draining') {\n      stopAll(state, graceMs, context);\n      return;\n    }\n",
      '',
    ],
  ),
  ...mutantsOf(
    'actors/agent/registrar/state.ts',
    [`${AGENT}/registrar.test.ts`, `${AGENT}/absence.test.ts`, `${AGENT}/poller.test.ts`],
    [
      'tasks stop only when the service reclaims them',
      'Math.floor((reclaimAfterMs * 2) / 3);',
      'reclaimAfterMs;',
    ],
    [
      'the grace takes the whole rest of the time',
      '(registration.reclaimAfterMs - fenceAfterMs(registration)) / 2)',
      'registration.reclaimAfterMs - fenceAfterMs(registration))',
    ],
    [
      'an old assignment of an impatient worker starts at once',
      '(isPatient ? 0 : killAfterMs(registration))',
      '0',
    ],
    [
      'dropped attempts stay among the running ones',
      'for (const attemptId of [...state.awaitingConfirmation]) removeRunning(state, attemptId);',
      'state.awaitingConfirmation.clear();',
    ],
    [
      'unconfirmed reports are not among the open attempts',
      '  ...state.running,\n  ...state.reported,',
      '  ...state.running,',
    ],
  ),
  ...mutantsOf(
    'actors/agent/registrar/on-presence.ts',
    [`${AGENT}/registrar.test.ts`, `${AGENT}/absence.test.ts`, `${AGENT}/poller.test.ts`],
    [
      'a reply for an earlier incarnation counts',
      'announcement === undefined || announcement.incarnation !== state.incarnation) return;\n    const isEarlier',
      'announcement === undefined) return;\n    const isEarlier',
    ],
    [
      'a reply from before a stall counts as contact',
      'announcement.sentAt >= context.receivingSince && !isEarlier',
      '!isEarlier',
    ],
    [
      'the reply of an earlier start of the service counts',
      'announcement.sentAt >= context.receivingSince && !isEarlier',
      'announcement.sentAt >= context.receivingSince',
    ],
    [
      'the contact counts from the reply',
      '        if (isLatest) recordService(state, reply, context);\n        if (isLatest) extendContact(state, announcement, context);',
      '        if (isLatest) recordService(state, reply, context);\n        if (isLatest) extendContact(state, { ...announcement, sentAt: context.now }, context);',
    ],
    [
      'a later reply cannot follow an earlier one',
      'token > state.answeredToken;',
      'token < state.answeredToken;',
    ],
    [
      'the id from the service is not stored',
      "    context.change({ op: 'worker-identified', workerId: reply.worker_id });\n",
      '',
    ],
    ['a closed attempt continues', '      stopClosed(state, attemptId, context);', '      void attemptId;'],
    [
      'a rejected assignment stays among the running ones',
      'for (const attemptId of rejected) removeRunning(state, attemptId);',
      'for (const attemptId of rejected) state.awaitingConfirmation.delete(attemptId);',
    ],
    [
      'an old reply confirms assignments',
      'const open = isFresh ? asked.filter',
      'const open = true ? asked.filter',
    ],
    [
      'a reply of a node that has lost the farms counts',
      ' || (reply.epoch ?? Infinity) < (state.epoch ?? 0));',
      ');',
    ],
    [
      'the worker never listens to a new owner',
      "    if (state.epoch === null) context.effect({ kind: 'follow-owner' });\n",
      '',
    ],
    [
      'a restart of the service leaves lease requests open',
      "      context.effect({ kind: 'give-up-leases' });\n",
      '',
    ],
    [
      'a confirmed report is repeated permanently',
      "    context.send('outbox', 'outbox', { type: 'report.confirmed', attemptIds: confirmed });",
      '    void confirmed;',
    ],
    [
      'the absence of the service counts permanently',
      "  else context.after('absence', singleBus.limitMs, { type: 'absence.overdue' });",
      '',
    ],
  ),
  ...mutantsOf(
    'actors/agent/registrar/on-owner.ts',
    [`${AGENT}/new-owner.test.ts`],
    ['a flood of announcements delays the heartbeats', 'isKnown || state.isOwnerAwaited ||', 'isKnown ||'],
    ['the present owner causes heartbeats', 'if (isKnown || ', 'if ('],
    [
      'all workers announce themselves at once',
      'backoffMs(0, AGENT_LIMITS.ownerDelay, context.newId())',
      '0',
    ],
  ),
  ...mutantsOf(
    'actors/agent/registrar/on-absence.ts',
    [`${AGENT}/absence.test.ts`],
    ['an answer from before a stall counts', '  if (probe.sentAt < context.receivingSince) return;\n', ''],
    [
      'the answer of another bus counts',
      ' || probe.bus !== registration.singleBus?.id) return;',
      ') return;',
    ],
    [
      'the absence counts from the answer',
      'confirmContact(state, registration, probe, context);',
      'confirmContact(state, registration, { ...probe, sentAt: context.now }, context);',
    ],
    [
      'an answer that a service is there counts as contact',
      'if (probe === undefined || !isAbsent) return;',
      'if (probe === undefined) return;',
    ],
  ),
  ...mutantsOf(
    'actors/agent/registrar/announce.ts',
    [`${AGENT}/registrar.test.ts`, `${AGENT}/absence.test.ts`],
    [
      'the answer to an earlier heartbeat replaces a later contact',
      ' && nth < contact.nth && ',
      ' && nth < 0 && ',
    ],
    [
      'other terms do not apply to the contact',
      ' && isSameTerms(contact.terms, registration)) return;',
      ') return;',
    ],
    [
      'terms are reported before everything decided by them is known',
      'if (reportedTerms?.service !== service) return { reclaim_after_ms: reclaimAfterMs };\n  const { terms } = reportedTerms;',
      'const terms = { reclaimAfterMs, singleBus: reportedTerms?.terms.singleBus ?? null };',
    ],
    ['the age of an announcement does not count', 'const age = context.now - sentAt;', 'const age = 0;'],
    [
      'the guards of the tasks are not notified',
      "  context.effect({ kind: 'set-contact-deadline', leftMs: Math.max(0, killAfterMs(registration) - age) });\n",
      '',
    ],
    [
      'the bus is asked while the service replies',
      ' || state.answeredToken === state.lastToken) return;',
      ') return;',
    ],
    ['a draining worker does not say so', "...(state.phase === 'draining' ? { draining: true } : {}),", ''],
  ),
  ...mutantsOf(
    'actors/agent/registrar/leave.ts',
    [`${AGENT}/registrar.test.ts`],
    [
      'the worker departs while a session exits its environments',
      'if (state.running.size > 0 || !state.haveSessionsEnded) return;',
      'if (state.running.size > 0) return;',
    ],
    [
      'the worker departs with unconfirmed reports',
      'if (state.reported.size > 0 || state.registration === null) return;',
      'if (state.registration === null) return;',
    ],
    [
      'the drain has no limit',
      "      context.after('drain', drainTimeoutMs, { type: 'drain.overdue' });\n",
      '',
    ],
    ['a second signal is ignored', '      if (atOnce) stopNow(state, context);\n', ''],
  ),
];
