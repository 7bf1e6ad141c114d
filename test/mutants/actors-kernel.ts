import { mutantsOf, type Mutant } from './mutant.ts';

const KERNEL = 'test/actors/kernel';

/** Mutants of the kernel, the gateway of the bus and the timers of the service. */
export const KERNEL_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'actors/kernel/timer-heap.ts',
    [`${KERNEL}/timer-heap.test.ts`],
    ['a canceled timer fires', '    this.current.delete(key);\n  }\n\n  /** Returns', '  }\n\n  /** Returns'],
    ['a timer fires a millisecond late', 'top.dueAt > now', 'top.dueAt >= now'],
    ['timers of the same time fire in any order', ' || (a.dueAt === b.dueAt && a.order < b.order)', ''],
    [
      'husks are never dropped',
      'if (this.heap.size > 2 * this.current.size + HUSKS_MIN) this.rebuild();',
      '',
    ],
  ),
  ...mutantsOf(
    'actors/kernel/stable-wall-clock.ts',
    [`${KERNEL}/stable-wall-clock.test.ts`],
    [
      'the clock never follows the wall clock',
      'if (Math.abs(drift) > StableWallClock.driftMs) this.offset += drift;',
      '',
    ],
    ['a stall is not a gap', 'if (late > StableWallClock.stallMs) return late;', ''],
    [
      'a step back is not a gap',
      'return Math.abs(drift) > StableWallClock.driftMs ? drift : null;',
      'return drift > StableWallClock.driftMs ? drift : null;',
    ],
  ),
  ...mutantsOf(
    'actors/kernel/unit-of-work.ts',
    [`${KERNEL}/kernel.test.ts`, `${KERNEL}/save.test.ts`],
    ['a rollback keeps the changes', '    this.changes.length = this.changesBefore;\n', ''],
    ['a rollback keeps the outputs', '    this.outputs.length = this.outputsBefore;\n', ''],
    ['timers of a failed unit are set', '    clear(this.timers);\n', ''],
    ['a message of a failed unit is handled with the next one', '    clear(this.pending);\n', ''],
  ),
  ...mutantsOf(
    'actors/kernel/kernel.ts',
    [`${KERNEL}/kernel.test.ts`, `${KERNEL}/save.test.ts`],
    [
      'a window is flushed before it is durable',
      'first?.isDurable === true; [first] = this.windows',
      'first !== undefined; [first] = this.windows',
    ],
    [
      'answers are sent before their window is readable',
      'first?.isReadable === true; [first] = this.unreadable',
      'first !== undefined; [first] = this.unreadable',
    ],
    [
      'a message is acknowledged before it is durable',
      '    if (mail.onProcessed !== null) window.processed.push(mail.onProcessed);\n    return true;',
      '    mail.onProcessed?.();\n    return true;',
    ],
    [
      'a poisoned message gets no answer',
      "      window.outputs.push({ kind: 'reply', to: waiting, answer });\n",
      '',
    ],
    [
      'a poisoned message is retried permanently',
      '    const isSecondTry = this.failed === mail;',
      '    const isSecondTry = false;',
    ],
    [
      'the failed unit alone is rolled back, with rows of others in its actor',
      'return this.unit.touched.some((actor) => actor.savedIn === window.number);',
      'return false;',
    ],
    [
      'timers of a removed actor fire',
      '    for (const timer of this.timersOf.get(actor.key) ?? []) this.timers.cancel(timer);\n',
      '',
    ],
    [
      'an actor is dropped before its window is readable',
      '      this.evictFinished(first.evictable, first.number);\n',
      '',
    ],
    [
      'an actor that is used again is dropped',
      'if (actor.dropAfterWindow === windowNumber && this.actors.has(actor)) this.remove(actor);',
      'if (this.actors.has(actor)) this.remove(actor);',
    ],
    ['any number of windows is in flight', 'if (this.inFlight >= this.windowsInFlight) return false;', ''],
  ),
  ...mutantsOf(
    'actors/service/gateway/prepare-flush.ts',
    [
      'test/actors/service/gateway/prepare-flush.test.ts',
      'test/actors/service/gateway/accept-reports.test.ts',
    ],
    [
      'answers to clients are sent before the store has the rows',
      'if (awaitedOf(whenReadable) > 0) store.requestApply();',
      '',
    ],
    [
      'the events of followed tasks are dropped',
      '!isOfTasks || followed.mayBeFollowed',
      '!isOfTasks || !followed.mayBeFollowed',
    ],
    [
      'cancels overtake the replies to workers',
      'if (delayed.length > 0) ports.defer(() => runDelayed(delayed, ports));',
      'if (delayed.length > 0) runDelayed(delayed, ports);',
    ],
    [
      'replies to workers are sent twice',
      '    onDurable: () => {\n      send();',
      '    onDurable: () => {\n      send();\n      send();',
    ],
  ),
  ...mutantsOf(
    'actors/service/gateway/accept-reports.ts',
    ['test/actors/service/gateway/accept-reports.test.ts'],
    [
      'reports of a job of another shard are accepted',
      'if (id === undefined || !ownsJob(id)) continue;',
      'if (id === undefined) continue;',
    ],
    [
      'a message is acknowledged after the first of its jobs',
      'if (--left === 0) action();',
      'if (left-- === count) action();',
    ],
    [
      'a poisoned report is confirmed',
      'const isPoisoned = this.inboxes.size > 0 && this.inboxes.delete(inbox);',
      'const isPoisoned = false;',
    ],
    ['reports of unknown jobs are never acknowledged', '  if (count === 0) action();\n', ''],
  ),
  ...mutantsOf(
    'actors/service/idempotency/idempotency-actor.ts',
    ['test/actors/service/idempotency/idempotency.test.ts'],
    [
      'keys that are still valid are deleted',
      'if (dayOfIdempotencyKey(key) >= kept) break;',
      'if (dayOfIdempotencyKey(key) > kept + 1) break;',
    ],
    [
      'only the first piece of a sweep is deleted',
      'if (state.expired.length < KEY_SWEEP_ROWS) return;',
      'if (state.expired.length <= KEY_SWEEP_ROWS) return;',
    ],
    ['there is one sweep only', "        context.after('sweep', PERIOD_MS, { type: 'keys.due' });\n", ''],
  ),
];
