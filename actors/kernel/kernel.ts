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
 * The kernel runs actors (docs/architecture.md#a-turn). Messages from outside queue in the mailbox. Each is handled
 * together with everything that it causes inside (a closure); the closures of one window are committed as one; what
 * they said is let out when that commit is on disk, in order. Windows are pipelined: the next is worked while the last
 * is being committed.
 *
 * A closure in which a handler throws is forgotten whole: the actors that it touched are dropped, loaded again from
 * the store once nothing is in flight, and the message is tried once more; then it is poisoned: logged, and answered
 * with an error. When one of those actors has left something of earlier closures to be saved at the end of the window,
 * the whole window is forgotten and its messages are worked again one by one (docs/decisions/saving.md).
 */

interface Mail<W extends ActorSystem> {
  readonly envelope: Envelope<W['messages']>;
  readonly onProcessed: (() => void) | null;
}

interface Window<W extends ActorSystem> extends WindowBuffer<W> {
  readonly number: number;
  readonly startedAt: number;
  /** The messages that were worked, the actors that had turns for them, and those of these that are to be saved. */
  readonly mails: Mail<W>[];
  readonly kept: Activation<W>[];
  readonly dirty: Activation<W>[];
  readonly settled: (() => void)[];
  /** Actors that are needed no longer: they are dropped when what they wrote can be read. */
  readonly evictable: Activation<W>[];
}

/**
 * What is kept of a window that is worked until it can be read, and no more: many are kept at once, long enough for the collector to take what they
 * hold for something that stays.
 */
interface InFlightWindow<W extends ActorSystem> {
  readonly number: number;
  readonly evictable: readonly Activation<W>[];
  isDurable: boolean;
  isReadable: boolean;
  /** What is let out when the window is on disk, and then forgotten; undefined until all that was said is ready. */
  prepareFlush: WindowFlush | null | undefined;
  settled: readonly (() => void)[];
  whenReadable: (() => void) | null;
}

export class Kernel<W extends ActorSystem> {
  private readonly ports: KernelPorts<W>;
  private readonly actors: ActivationTable<W>;
  private readonly closure = new UnitOfWork<W>();
  private readonly timers = new TimerHeap<Envelope<W['messages']>>();
  private readonly timersOf = new Map<string, Set<string>>();
  private mailbox: Mail<W>[] = [];
  private mailboxHead = 0;
  /** Windows that are not on disk yet, and those that are and cannot be read yet. */
  private readonly windows: InFlightWindow<W>[] = [];
  private readonly unread: InFlightWindow<W>[] = [];
  private nextWindow = 1;
  /** The message whose handler threw, to be tried once more. */
  private failed: Mail<W> | null = null;
  /** Actors that were dropped because a handler threw: they are loaded again before the next message. */
  private dropped: readonly Activation<W>[] = [];
  /** So many messages have a window each: they were in one that was forgotten. */
  private singleMessageWindows = 0;
  private receivingSince: number;
  private isPartitioned = false;
  private readonly contextOf = (actor: Activation<W>): TurnContext<W, Kind<W>> =>
    new TurnContext(actor, this.closure, this.ports);

  constructor(definitions: readonly AnyDefinition<W>[], ports: KernelPorts<W>) {
    this.actors = new ActivationTable(definitions);
    this.ports = ports;
    this.receivingSince = ports.wallClock();
  }

  /** A message from outside. `onProcessed` is called once all that it caused is on disk (or it was poisoned). */
  post(envelope: Envelope<W['messages']>, onProcessed: (() => void) | null = null): void {
    this.mailbox.push({ envelope, onProcessed });
  }

  /** Others cannot be heard now: their silence proves nothing until `resumeLiveness`. */
  suspendLiveness(): void {
    this.isPartitioned = true;
  }

  /** From now on silence counts again. */
  resumeLiveness(): void {
    this.isPartitioned = false;
    this.restartLivenessGrace();
  }

  /** There was a time in which nobody was heard (a stall of this thread, a step of the clock): silence counts from now. */
  restartLivenessGrace(): void {
    this.receivingSince = this.ports.wallClock();
  }

  /** When the next timer is due on the monotonic clock, or null. */
  nextTimerAt(): number | null {
    return this.timers.nextDueAt();
  }

  /** Whether a pump could do something at once. */
  get hasWork(): boolean {
    if (this.inFlight >= KERNEL_LIMITS.windowsInFlight) return false;
    if (this.dropped.length > 0 || this.failed !== null) return this.isAllReadable;
    return this.mailboxHead < this.mailbox.length;
  }

  /** Whether nothing waits and everything is on disk and can be read there. */
  get isIdle(): boolean {
    return this.isAllReadable && this.mailboxHead >= this.mailbox.length && this.failed === null;
  }

  get queuedMessages(): number {
    return this.mailbox.length - this.mailboxHead;
  }

  /** The state of a resident actor, for the checks of the simulation and of tests. */
  stateOf(kind: Kind<W>, id: string): unknown {
    return this.actors.ofKind(kind).byId.get(id)?.state;
  }

  /** Takes due timers and queued messages and works them into one commit window. */
  pump(): void {
    const monotonic = this.ports.monotonicClock();
    for (let timer = this.timers.takeDue(monotonic); timer !== null; timer = this.timers.takeDue(monotonic)) {
      this.forgetTimer(timer.key);
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
      settled: [],
      evictable: [],
    };
    const now = this.ports.wallClock();
    const closuresMax = this.singleMessageWindows > 0 ? 1 : KERNEL_LIMITS.closuresPerWindow;
    for (let closures = 0; closures < closuresMax; closures++) {
      const mail = this.takeMail();
      if (mail === null || !this.work(mail, now, window)) break;
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
    return this.windows.length === 0 && this.unread.length === 0;
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

  /** Works one message; false when it threw and the window must be closed so that it can be tried again. */
  private work(mail: Mail<W>, now: number, window: Window<W>): boolean {
    const isSecondTry = this.failed === mail;
    this.closure.begin(window);
    try {
      if (this.dropped.length > 0) this.reload(this.dropped, now);
      this.closure.pending.push(mail.envelope);
      this.runPending(now);
    } catch (error) {
      this.closure.rollback();
      if (isSecondTry) {
        const dropped = this.drop(this.dropped, this.closure.touched);
        this.failed = null;
        this.dropped = [];
        this.poison(mail, error, window);
        return this.restore(dropped, now, window);
      }
      this.ports.log('warn', 'a handler threw; its actors are loaded again', describe(mail.envelope, error));
      if (this.touchesUnsavedState(window)) this.rollbackWindow(window, mail);
      else {
        this.dropped = this.drop(this.dropped, this.closure.touched);
        this.failed = mail;
      }
      return false;
    }
    this.failed = null;
    this.dropped = [];
    this.keep(window);
    window.mails.push(mail);
    if (mail.onProcessed !== null) window.settled.push(mail.onProcessed);
    return true;
  }

  /** Whether the closure that threw has touched what earlier closures of the window have left to be saved. */
  private touchesUnsavedState(window: Window<W>): boolean {
    return this.closure.touched.some((actor) => actor.savedIn === window.number);
  }

  /**
   * Forgets the window with all its closures: what they left to be saved cannot be told any more from what the closure
   * that threw has done to it. Its messages are worked again, each in a window of its own, so that this cannot happen
   * once more.
   */
  private rollbackWindow(window: Window<W>, failed: Mail<W>): void {
    this.dropped = this.drop(this.dropped, [...window.kept, ...this.closure.touched]);
    this.mailbox = [...window.mails, failed, ...this.mailbox.slice(this.mailboxHead)];
    this.mailboxHead = 0;
    this.singleMessageWindows = window.mails.length + 1;
    for (const list of [
      window.mails,
      window.kept,
      window.dirty,
      window.changes,
      window.outputs,
      window.settled,
      window.evictable,
    ])
      list.length = 0;
  }

  private runPending(now: number): void {
    const { pending } = this.closure;
    for (let next = 0; next < pending.length; next++) {
      const envelope = pending[next];
      if (envelope !== undefined) this.turn(envelope, now);
    }
  }

  private turn({ actor, id, message }: Envelope<W['messages']>, now: number): void {
    const { definition, byId } = this.actors.ofKind(actor);
    const present = byId.get(id);
    const isRemoved = present !== undefined && definition.isDeleted?.(present.state) === true;
    if (present !== undefined && !isRemoved) {
      this.closure.touch(present);
      this.setClock(present, now);
      this.handle(present, message);
      return;
    }
    if (present !== undefined) this.closure.touch(present);
    const found = this.newResident(definition, id, now);
    const stored = isRemoved ? null : this.loadState(definition, id, now);
    found.state = stored ?? definition.onMissing(id, message, found.context);
    if (found.state === null) {
      if (present !== undefined) present.isOver = true;
      return;
    }
    this.closure.touch(found);
    this.actors.add(found);
    definition.onActivated?.(found.state, found.context);
    this.handle(found, message);
  }

  private handle(actor: Activation<W>, message: W['messages'][Kind<W>]): void {
    const { definition, state } = actor;
    const handle = definition.handlers[message.type];
    if (handle === undefined) throw new Error(`${definition.kind} has no handler for ${message.type}`);
    handle(state, message, actor.context);
    actor.isOver = definition.isEvictable?.(state) === true || definition.isDeleted?.(state) === true;
  }

  private newResident(definition: AnyDefinition<W>, id: string, now: number): Activation<W> {
    const resident = new Activation<W>(definition, id, this.contextOf);
    this.setClock(resident, now);
    return resident;
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
      const loaded = this.newResident(definition, id, now);
      loaded.state = state;
      this.closure.touch(loaded);
      this.actors.add(loaded);
      definition.onActivated?.(state, loaded.context);
    }
    this.runPending(now);
    this.closure.pending.length = 0;
  }

  /** Loads dropped actors again without a message; false always, so that the window is closed. */
  private restore(dropped: readonly Activation<W>[], now: number, window: Window<W>): boolean {
    this.closure.begin(window);
    try {
      this.reload(dropped, now);
      this.keep(window);
    } catch (error) {
      this.ports.fatal(error);
    }
    return false;
  }

  /** Drops those of the actors that are in memory; gives them and those that were dropped before. */
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
    this.ports.log('error', 'a message is poisoned: its handler threw twice', describe(mail.envelope, error));
    const waiting = replyToOf(mail.envelope.message);
    if (waiting !== null) {
      const answer = refused('internal', 'the request could not be handled; the diagnostics have the reason');
      window.outputs.push({ kind: 'reply', to: waiting, answer });
    }
    if (mail.onProcessed !== null) window.settled.push(mail.onProcessed);
  }

  private keep(window: Window<W>): void {
    const { timers, touched, dirty } = this.closure;
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
      actor.dropAfterWindow = actor.isOver ? window.number : 0;
      if (actor.isOver) window.evictable.push(actor);
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
      this.forgetTimer(key);
      return;
    }
    if (this.actors.ofKind(owner.definition.kind).byId.get(owner.id) === undefined) return;
    this.timers.set(key, this.ports.monotonicClock() + order.delayMs, order.envelope);
    const names = this.timersOf.get(owner.key);
    if (names === undefined) this.timersOf.set(owner.key, new Set([key]));
    else names.add(key);
  }

  private forgetTimer(key: string): void {
    const owner = key.slice(0, key.indexOf(' '));
    const names = this.timersOf.get(owner);
    names?.delete(key);
    if (names?.size === 0) this.timersOf.delete(owner);
  }

  /** What the turns of the window have left to be written. */
  private save(window: Window<W>): void {
    if (window.dirty.length === 0) return;
    this.closure.begin(window);
    try {
      for (const { definition, state, context } of window.dirty) definition.save?.(state, context);
    } catch (error) {
      this.ports.fatal(error);
      throw error;
    }
  }

  private close({ number, startedAt, changes, outputs, settled, evictable }: Window<W>): void {
    const isWritten = changes.length > 0;
    const committing: InFlightWindow<W> = {
      number,
      evictable,
      isDurable: !isWritten,
      isReadable: !isWritten,
      prepareFlush: undefined,
      settled,
      whenReadable: null,
    };
    this.windows.push(committing);
    if (isWritten) this.ports.commit(changes, this.stagesOf(committing), outputs);
    committing.prepareFlush = outputs.length > 0 ? this.ports.prepareFlush(outputs, startedAt) : null;
    committing.whenReadable = committing.prepareFlush?.readable ?? null;
    this.release();
  }

  private stagesOf(committing: InFlightWindow<W>): CommitCallbacks {
    return {
      durable: () => {
        committing.isDurable = true;
        this.release();
        this.ports.wake();
      },
      readable: () => {
        committing.isReadable = true;
        this.release();
        this.ports.wake();
      },
    };
  }

  /** Lets out, window by window, what may be let out by now. */
  private release(): void {
    for (let [first] = this.windows; first?.isDurable === true; [first] = this.windows) {
      const { prepareFlush, settled } = first;
      if (prepareFlush === undefined) return;
      this.windows.shift();
      this.unread.push(first);
      first.prepareFlush = null;
      first.settled = [];
      prepareFlush?.durable();
      for (const each of settled) each();
    }
    for (let [first] = this.unread; first?.isReadable === true; [first] = this.unread) {
      this.unread.shift();
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
 * Returns the reply address of a message, or null. Every host accepts a refusal at every address, in addition to the answers that the
 * address names: only the kernel sends it, for a poisoned message.
 */
function replyToOf(message: {
  readonly type: string;
  readonly replyTo?: ReplyTo<never>;
}): ReplyTo<Outcome<never>> | null {
  return message.replyTo === undefined ? null : (message.replyTo as ReplyTo<Outcome<never>>);
}
