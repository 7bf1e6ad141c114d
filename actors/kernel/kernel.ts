import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { AnyDefinition, Kind, ActorSystem } from './actor.ts';
import type { Envelope, ReplyTo } from './address.ts';
import { UnitOfWork, type WindowBuffer, type TimerOrder } from './unit-of-work.ts';
import { KERNEL_LIMITS, type KernelPorts, type WindowFlush } from './ports.ts';
import { refused, type Outcome } from '../../src/core/problems.ts';
import { Activation } from './activation.ts';
import { ActivationTable } from './activation-table.ts';
import { TurnContext } from './turn-context.ts';
import { TimerHeap } from './timer-heap.ts';

/**
 * The kernel runs actors (docs/architecture.md#a-turn). It handles each message from outside together with all messages
 * that actors send each other because of it: one unit of work. The units of a window are committed together.
 *
 * States of a window: open (one at a time, its units run), in flight (`windows`, commit requested), durable
 * (`unreadable`), readable (removed). Invariants: windows become durable and readable in order; outputs leave only
 * after the commit of their window; at most `windowsInFlight` windows are not durable.
 *
 * If a handler throws, the kernel rolls its unit back and drops the actors that it touched. Once all windows are
 * readable, it loads them from the store and retries the message. A message that fails again is poisoned: logged, and
 * answered with an error. If the failed unit touched an actor with unsaved rows of the same window, the whole window is
 * rolled back and its messages run in one window each (docs/decisions/saving.md).
 */

interface Mail<W extends ActorSystem> {
  readonly envelope: Envelope<W['messages']>;
  readonly onProcessed: (() => void) | null;
}

interface Window<W extends ActorSystem> extends WindowBuffer<W> {
  readonly number: number;
  readonly startedAt: number;
  /** The handled messages, the actors that had turns for them, and the dirty ones of these actors. */
  readonly mails: Mail<W>[];
  readonly kept: Activation<W>[];
  readonly dirty: Activation<W>[];
  readonly processed: (() => void)[];
  /** Actors to evict once the window is readable. */
  readonly evictable: Activation<W>[];
}

/**
 * The part of a window that is needed until it is readable. Keep it small: many windows are alive at once, and V8 moves
 * them to the old generation.
 */
interface InFlightWindow<W extends ActorSystem> {
  readonly number: number;
  readonly evictable: readonly Activation<W>[];
  isDurable: boolean;
  isReadable: boolean;
  /** Flushes the outputs. Undefined until prepared, null if there is nothing to flush or the flush is done. */
  prepareFlush: WindowFlush | null | undefined;
  processed: readonly (() => void)[];
  whenReadable: (() => void) | null;
}

export class Kernel<W extends ActorSystem> {
  private readonly ports: KernelPorts<W>;
  private readonly windowsInFlight: number;
  private readonly actors: ActivationTable<W>;
  private readonly unit = new UnitOfWork<W>();
  private readonly timers = new TimerHeap<Envelope<W['messages']>>();
  private readonly timersOf = new Map<string, Set<string>>();
  private mailbox: Mail<W>[] = [];
  private mailboxHead = 0;
  /** Windows that are not durable yet, then windows that are durable but not readable. */
  private readonly windows: InFlightWindow<W>[] = [];
  private readonly unreadable: InFlightWindow<W>[] = [];
  private nextWindow = 1;
  /** The message whose handler threw. It is retried once. */
  private failed: Mail<W> | null = null;
  /** Actors that were dropped because a handler threw. They are loaded again before the next message. */
  private dropped: readonly Activation<W>[] = [];
  /** This many messages run in a window of their own, because their common window was rolled back. */
  private singleMessageWindows = 0;
  private receivingSince: number;
  private isPartitioned = false;
  private readonly contextOf = (actor: Activation<W>): TurnContext<W, Kind<W>> =>
    new TurnContext(actor, this.unit, this.ports);

  /** `windowsInFlight`: maximum number of windows that are not durable. */
  constructor(
    definitions: readonly AnyDefinition<W>[],
    ports: KernelPorts<W>,
    windowsInFlight: number = KERNEL_LIMITS.windowsInFlight,
  ) {
    this.windowsInFlight = windowsInFlight;
    this.actors = new ActivationTable(definitions);
    this.ports = ports;
    this.receivingSince = ports.wallClock();
  }

  /** Queues a message from outside. Calls `onProcessed` once all its changes are on disk, or once it is poisoned. */
  post(envelope: Envelope<W['messages']>, onProcessed: (() => void) | null = null): void {
    this.mailbox.push({ envelope, onProcessed });
  }

  /**
   * Suspends liveness checks while no messages can arrive: until `resumeLiveness`, silence of others proves nothing.
   */
  suspendLiveness(): void {
    this.isPartitioned = true;
  }

  /** Resumes liveness checks. Silence counts from now on. */
  resumeLiveness(): void {
    this.isPartitioned = false;
    this.restartLivenessGrace();
  }

  /** Restarts the grace period after a time without messages (a stall of this thread, a step of the clock). */
  restartLivenessGrace(): void {
    this.receivingSince = this.ports.wallClock();
  }

  /** Returns the due time of the next timer on the monotonic clock, or null. */
  nextTimerAt(): number | null {
    return this.timers.nextDueAt();
  }

  /** Reports whether `pump` can make progress now. */
  get hasWork(): boolean {
    if (this.inFlight >= this.windowsInFlight) return false;
    if (this.dropped.length > 0 || this.failed !== null) return this.isAllReadable;
    return this.mailboxHead < this.mailbox.length;
  }

  /** Reports whether no message is queued and all windows are readable. */
  get isIdle(): boolean {
    return this.isAllReadable && this.mailboxHead >= this.mailbox.length && this.failed === null;
  }

  get queuedMessages(): number {
    return this.mailbox.length - this.mailboxHead;
  }

  /** Returns the state of an actor in memory. For the checks of the simulation and of tests. */
  stateOf(kind: Kind<W>, id: string): unknown {
    return this.actors.ofKind(kind).byId.get(id)?.state;
  }

  /** Runs due timers and queued messages and commits them as one window. */
  pump(): void {
    const monotonic = this.ports.monotonicClock();
    for (let timer = this.timers.takeDue(monotonic); timer !== null; timer = this.timers.takeDue(monotonic)) {
      this.removeTimer(timer.key);
      this.post(timer.payload);
    }
    if (!this.hasWork) return;
    const window: Window<W> = {
      number: this.nextWindow++,
      startedAt: monotonic,
      mails: [],
      kept: [],
      dirty: [],
      changes: [],
      outputs: [],
      processed: [],
      evictable: [],
    };
    const now = this.ports.wallClock();
    const unitsMax = this.singleMessageWindows > 0 ? 1 : KERNEL_LIMITS.unitsPerWindow;
    for (let units = 0; units < unitsMax; units++) {
      const mail = this.takeMail();
      if (mail === null || !this.runUnit(mail, now, window)) break;
      if (window.changes.length >= KERNEL_LIMITS.changesPerWindow) break;
    }
    if (this.singleMessageWindows > 0 && this.failed === null && this.dropped.length === 0)
      this.singleMessageWindows--;
    this.compactMailbox();
    this.save(window);
    this.close(window);
  }

  private get inFlight(): number {
    return this.windows.length;
  }

  private get isAllReadable(): boolean {
    return this.windows.length === 0 && this.unreadable.length === 0;
  }

  private takeMail(): Mail<W> | null {
    if (this.failed !== null) return this.failed;
    const mail = this.mailbox[this.mailboxHead];
    if (mail === undefined) return null;
    this.mailboxHead++;
    return mail;
  }

  private compactMailbox(): void {
    if (this.mailboxHead < this.mailbox.length) {
      if (this.mailboxHead < 4096) return;
      this.mailbox = this.mailbox.slice(this.mailboxHead);
    } else {
      this.mailbox = [];
    }
    this.mailboxHead = 0;
  }

  /** Handles one message. Returns false if a handler threw: then the window closes before the retry. */
  private runUnit(mail: Mail<W>, now: number, window: Window<W>): boolean {
    const isSecondTry = this.failed === mail;
    this.unit.begin(window);
    try {
      if (this.dropped.length > 0) this.reload(this.dropped, now);
      this.unit.pending.push(mail.envelope);
      this.runPending(now);
    } catch (error) {
      this.unit.rollback();
      if (isSecondTry) {
        const dropped = this.drop(this.dropped, this.unit.touched);
        this.failed = null;
        this.dropped = [];
        this.poison(mail, error, window);
        return this.restore(dropped, now, window);
      }
      this.ports.log(
        'warn',
        'a handler threw; its actors are reloaded and the message is retried',
        describe(mail.envelope, error),
      );
      if (this.touchesUnsavedState(window)) this.rollbackWindow(window, mail);
      else {
        this.dropped = this.drop(this.dropped, this.unit.touched);
        this.failed = mail;
      }
      return false;
    }
    this.failed = null;
    this.dropped = [];
    this.acceptUnit(window);
    window.mails.push(mail);
    if (mail.onProcessed !== null) window.processed.push(mail.onProcessed);
    return true;
  }

  /** Reports whether the failed unit touched an actor with unsaved rows of the same window. */
  private touchesUnsavedState(window: Window<W>): boolean {
    return this.unit.touched.some((actor) => actor.savedIn === window.number);
  }

  /**
   * Rolls back all units of the window, because the unsaved rows of earlier units cannot be separated from those of the
   * failed one. Each message runs again in a window of its own.
   */
  private rollbackWindow(window: Window<W>, failed: Mail<W>): void {
    this.dropped = this.drop(this.dropped, [...window.kept, ...this.unit.touched]);
    this.mailbox = [...window.mails, failed, ...this.mailbox.slice(this.mailboxHead)];
    this.mailboxHead = 0;
    this.singleMessageWindows = window.mails.length + 1;
    for (const list of [
      window.mails,
      window.kept,
      window.dirty,
      window.changes,
      window.outputs,
      window.processed,
      window.evictable,
    ])
      list.length = 0;
  }

  private runPending(now: number): void {
    const { pending } = this.unit;
    for (let next = 0; next < pending.length; next++) {
      const envelope = pending[next];
      if (envelope !== undefined) this.turn(envelope, now);
    }
  }

  private turn({ actor, id, message }: Envelope<W['messages']>, now: number): void {
    const { definition, byId } = this.actors.ofKind(actor);
    const present = byId.get(id);
    const isDeleted = present !== undefined && definition.isDeleted?.(present.state) === true;
    if (present !== undefined && !isDeleted) {
      this.unit.touch(present);
      this.setClock(present, now);
      this.handle(present, message);
      return;
    }
    if (present !== undefined) this.unit.touch(present);
    const found = this.newActivation(definition, id, now);
    const stored = isDeleted ? null : this.loadState(definition, id, now);
    found.state = stored ?? definition.onMissing(id, message, found.context);
    if (found.state === null) {
      if (present !== undefined) present.isEvictable = true;
      return;
    }
    this.unit.touch(found);
    this.actors.add(found);
    definition.onActivated?.(found.state, found.context);
    this.handle(found, message);
  }

  private handle(actor: Activation<W>, message: W['messages'][Kind<W>]): void {
    const { definition, state } = actor;
    const handle = definition.handlers[message.type];
    if (handle === undefined) throw new Error(`${definition.kind} has no handler for ${message.type}`);
    handle(state, message, actor.context);
    actor.isEvictable = definition.isEvictable?.(state) === true || definition.isDeleted?.(state) === true;
  }

  private newActivation(definition: AnyDefinition<W>, id: string, now: number): Activation<W> {
    const activation = new Activation<W>(definition, id, this.contextOf);
    this.setClock(activation, now);
    return activation;
  }

  private setClock({ context }: Activation<W>, now: number): void {
    context.now = now;
    context.receivingSince = this.isPartitioned ? now : this.receivingSince;
  }

  private loadState(definition: AnyDefinition<W>, id: string, now: number): unknown {
    try {
      return definition.load(id, this.ports.reader, now);
    } catch (error) {
      this.ports.fatal(error);
      throw error;
    }
  }

  private reload(dropped: readonly Activation<W>[], now: number): void {
    for (const { definition, id } of dropped) {
      const state = this.loadState(definition, id, now);
      if (state === null) continue;
      const loaded = this.newActivation(definition, id, now);
      loaded.state = state;
      this.unit.touch(loaded);
      this.actors.add(loaded);
      definition.onActivated?.(state, loaded.context);
    }
    this.runPending(now);
    this.unit.pending.length = 0;
  }

  /** Reloads dropped actors without a message. Always returns false, which closes the window. */
  private restore(dropped: readonly Activation<W>[], now: number, window: Window<W>): boolean {
    this.unit.begin(window);
    try {
      this.reload(dropped, now);
      this.acceptUnit(window);
    } catch (error) {
      this.ports.fatal(error);
    }
    return false;
  }

  /** Drops those of the actors that are in memory. Returns them together with the ones dropped before. */
  private drop(before: readonly Activation<W>[], actors: readonly Activation<W>[]): readonly Activation<W>[] {
    const dropped = new Map(before.map((each) => [each.key, each]));
    for (const actor of actors) {
      if (!this.actors.has(actor)) continue;
      dropped.set(actor.key, actor);
      this.remove(actor);
    }
    return [...dropped.values()];
  }

  private remove(actor: Activation<W>): void {
    this.actors.remove(actor);
    for (const timer of this.timersOf.get(actor.key) ?? []) this.timers.cancel(timer);
    this.timersOf.delete(actor.key);
  }

  private poison(mail: Mail<W>, error: unknown, window: Window<W>): void {
    this.ports.log('error', 'message poisoned: its handler threw twice', describe(mail.envelope, error));
    const waiting = replyToOf(mail.envelope.message);
    if (waiting !== null) {
      const answer = refused('internal', 'the request could not be handled; the diagnostics have the reason');
      window.outputs.push({ kind: 'reply', to: waiting, answer });
    }
    if (mail.onProcessed !== null) window.processed.push(mail.onProcessed);
  }

  private acceptUnit(window: Window<W>): void {
    const { timers, touched, dirty } = this.unit;
    for (const order of timers) this.orderTimer(order);
    for (const actor of dirty) {
      if (actor.savedIn === window.number) continue;
      actor.savedIn = window.number;
      window.dirty.push(actor);
    }
    for (const actor of touched) {
      if (actor.keptIn !== window.number) {
        actor.keptIn = window.number;
        window.kept.push(actor);
      }
      actor.dropAfterWindow = actor.isEvictable ? window.number : null;
      if (actor.isEvictable) window.evictable.push(actor);
    }
  }

  private evictFinished(actors: readonly Activation<W>[], windowNumber: number): void {
    for (const actor of actors) {
      if (actor.dropAfterWindow === windowNumber && this.actors.has(actor)) this.remove(actor);
    }
  }

  private orderTimer(order: TimerOrder<W>): void {
    const { owner } = order;
    const key = `${owner.key} ${order.name}`;
    if (order.op === 'cancel') {
      this.timers.cancel(key);
      this.removeTimer(key);
      return;
    }
    if (this.actors.ofKind(owner.definition.kind).byId.get(owner.id) === undefined) return;
    this.timers.set(key, this.ports.monotonicClock() + order.delayMs, order.envelope);
    const names = this.timersOf.get(owner.key);
    if (names === undefined) this.timersOf.set(owner.key, new Set([key]));
    else names.add(key);
  }

  private removeTimer(key: string): void {
    const owner = key.slice(0, key.indexOf(' '));
    const names = this.timersOf.get(owner);
    names?.delete(key);
    if (names?.size === 0) this.timersOf.delete(owner);
  }

  /** Saves the dirty actors of the window. */
  private save(window: Window<W>): void {
    if (window.dirty.length === 0) return;
    this.unit.begin(window);
    try {
      for (const { definition, state, context } of window.dirty) definition.save?.(state, context);
    } catch (error) {
      this.ports.fatal(error);
      throw error;
    }
  }

  private close(window: Window<W>): void {
    const { number, startedAt, changes, outputs, processed, evictable } = window;
    const isWritten = changes.length > 0;
    const inFlightWindow: InFlightWindow<W> = {
      number,
      evictable,
      isDurable: !isWritten,
      isReadable: !isWritten,
      prepareFlush: undefined,
      processed,
      whenReadable: null,
    };
    this.windows.push(inFlightWindow);
    if (isWritten) this.ports.commit(changes, this.callbacksOf(inFlightWindow), window);
    inFlightWindow.prepareFlush = outputs.length > 0 ? this.ports.prepareFlush(outputs, startedAt) : null;
    inFlightWindow.whenReadable = inFlightWindow.prepareFlush?.onReadable ?? null;
    this.flushWindows();
  }

  private callbacksOf(inFlightWindow: InFlightWindow<W>): CommitCallbacks {
    return {
      onDurable: () => {
        inFlightWindow.isDurable = true;
        this.flushWindows();
        this.ports.wake();
      },
      onReadable: () => {
        inFlightWindow.isReadable = true;
        this.flushWindows();
        this.ports.wake();
      },
    };
  }

  /** Flushes, in order, the windows that are durable or readable by now. */
  private flushWindows(): void {
    for (let [first] = this.windows; first?.isDurable === true; [first] = this.windows) {
      const { prepareFlush, processed } = first;
      if (prepareFlush === undefined) return;
      this.windows.shift();
      this.unreadable.push(first);
      first.prepareFlush = null;
      first.processed = [];
      prepareFlush?.onDurable();
      for (const each of processed) each();
    }
    for (let [first] = this.unreadable; first?.isReadable === true; [first] = this.unreadable) {
      this.unreadable.shift();
      first.whenReadable?.();
      this.evictFinished(first.evictable, first.number);
    }
  }
}

function describe(
  envelope: { actor: string; id: string; message: { type: string } },
  error: unknown,
): Record<string, string> {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { actor: envelope.actor, id: envelope.id, message: envelope.message.type, error: text };
}

/**
 * Returns the reply address of a message, or null. Every host accepts a refusal at every address, in addition to the
 * answers that the address names: only the kernel sends it, for a poisoned message.
 */
function replyToOf(message: {
  readonly type: string;
  readonly replyTo?: ReplyTo<never>;
}): ReplyTo<Outcome<never>> | null {
  return message.replyTo === undefined ? null : (message.replyTo as ReplyTo<Outcome<never>>);
}
