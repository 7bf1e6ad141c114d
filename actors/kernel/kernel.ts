import type { AnyDefinition, Context, Kind, World } from './actor.ts';
import type { Envelope, ReplyTo } from './address.ts';
import { actorKey, Closure, type Output, type TimerOrder } from './closure.ts';
import { KERNEL_LIMITS, type KernelPorts } from './ports.ts';
import { refused } from '../../src/core/problems.ts';
import { TimerHeap } from './timer-heap.ts';
import { TurnContext } from './turn-context.ts';

/**
 * The kernel runs actors (design.md, "A turn"). Messages from outside queue in the mailbox. Each is handled together
 * with everything that it causes inside (a closure); the closures of one window are committed as one; what they said
 * is let out when that commit is on disk, in order. Windows are pipelined: the next is worked while the last is being
 * committed.
 *
 * A closure in which a handler throws is forgotten whole: the actors that it touched are dropped, loaded again from
 * the store once nothing is in flight, and the message is tried once more; then it is poisoned: logged, and answered
 * with an error.
 */

interface Resident<W extends World> {
  readonly definition: AnyDefinition<W>;
  readonly id: string;
  state: unknown;
  /** The window after whose commit the actor is dropped; 0 while it is needed. */
  dropAfterWindow: number;
}

interface Mail<W extends World> {
  readonly envelope: Envelope<W['messages']>;
  readonly onSettled: (() => void) | null;
}

interface Window<W extends World> {
  readonly number: number;
  readonly startedAt: number;
  readonly outputs: Output<W>[];
  readonly settled: (() => void)[];
  durable: boolean;
}

export class Kernel<W extends World> {
  private readonly definitions: ReadonlyMap<string, AnyDefinition<W>>;
  private readonly ports: KernelPorts<W>;
  private readonly actors = new Map<string, Resident<W>>();
  private readonly timers = new TimerHeap<Envelope<W['messages']>>();
  private readonly timersOf = new Map<string, Set<string>>();
  private mailbox: Mail<W>[] = [];
  private mailboxHead = 0;
  private readonly windows: Window<W>[] = [];
  private nextWindow = 1;
  private retrying: { readonly mail: Mail<W>; readonly dropped: readonly Resident<W>[] } | null = null;
  private listeningSince: number;
  private isDeaf = false;

  constructor(definitions: readonly AnyDefinition<W>[], ports: KernelPorts<W>) {
    this.definitions = new Map(definitions.map((each) => [each.kind, each]));
    this.ports = ports;
    this.listeningSince = ports.wallClock();
  }

  /** A message from outside. `onSettled` is called once all that it caused is on disk (or it was poisoned). */
  post(envelope: Envelope<W['messages']>, onSettled: (() => void) | null = null): void {
    this.mailbox.push({ envelope, onSettled });
  }

  /** Others cannot be heard now: their silence proves nothing until `resumeListening`. */
  stopListening(): void {
    this.isDeaf = true;
  }

  /** From now on silence counts again. */
  resumeListening(): void {
    this.isDeaf = false;
    this.noteGap();
  }

  /** There was a time in which nobody was heard (a stall of this thread, a step of the clock): silence counts from now. */
  noteGap(): void {
    this.listeningSince = this.ports.wallClock();
  }

  /** When the next timer is due on the monotonic clock, or null. */
  nextTimerAt(): number | null {
    return this.timers.nextDueAt();
  }

  /** Whether a pump could do something at once. */
  get hasWork(): boolean {
    if (this.inFlight >= KERNEL_LIMITS.windowsInFlight) return false;
    if (this.retrying !== null) return this.windows.length === 0;
    return this.mailboxHead < this.mailbox.length;
  }

  /** Whether nothing waits and everything is on disk. */
  get isIdle(): boolean {
    return this.windows.length === 0 && this.mailboxHead >= this.mailbox.length && this.retrying === null;
  }

  get queuedMessages(): number {
    return this.mailbox.length - this.mailboxHead;
  }

  /** The state of a resident actor, for the checks of the simulation and of tests. */
  stateOf(kind: Kind<W>, id: string): unknown {
    return this.actors.get(actorKey<W>(kind, id))?.state;
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
      outputs: [],
      settled: [],
      durable: false,
    };
    const changes: W['change'][] = [];
    const now = this.ports.wallClock();
    for (let closures = 0; closures < KERNEL_LIMITS.closuresPerWindow; closures++) {
      const mail = this.takeMail();
      if (mail === null || !this.work(mail, now, window, changes)) break;
      if (changes.length >= KERNEL_LIMITS.changesPerWindow) break;
    }
    this.compactMailbox();
    this.close(window, changes);
  }

  private get inFlight(): number {
    return this.windows.length;
  }

  private takeMail(): Mail<W> | null {
    if (this.retrying !== null) return this.retrying.mail;
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
  private work(mail: Mail<W>, now: number, window: Window<W>, changes: W['change'][]): boolean {
    const retry = this.retrying;
    const closure = new Closure<W>();
    try {
      if (retry !== null) this.reload(retry.dropped, closure, now);
      closure.pending.push(mail.envelope);
      this.runPending(closure, now);
    } catch (error) {
      const dropped = this.drop(closure, retry?.dropped ?? []);
      if (retry === null) {
        this.ports.log(
          'warn',
          'a handler threw; its actors are loaded again',
          describe(mail.envelope, error),
        );
        this.retrying = { mail, dropped };
        return false;
      }
      this.retrying = null;
      this.poison(mail, error, window);
      return this.restore(dropped, now, window, changes);
    }
    this.retrying = null;
    this.keep(closure, window, changes);
    if (mail.onSettled !== null) window.settled.push(mail.onSettled);
    return true;
  }

  private runPending(closure: Closure<W>, now: number): void {
    for (let next = 0; next < closure.pending.length; next++) {
      const envelope = closure.pending[next];
      if (envelope !== undefined) this.turn(envelope, closure, now);
    }
  }

  private turn(envelope: Envelope<W['messages']>, closure: Closure<W>, now: number): void {
    const key = actorKey<W>(envelope.actor, envelope.id);
    const definition = this.definitions.get(envelope.actor);
    if (definition === undefined) throw new Error(`no actor of the kind ${envelope.actor}`);
    closure.touched.add(key);
    const context = this.contextFor(definition.kind, envelope.id, closure, now);
    let resident = this.actors.get(key);
    const isRemoved = resident !== undefined && definition.isRemoved?.(resident.state) === true;
    if (resident === undefined || isRemoved) {
      const stored = isRemoved ? null : this.loadState(definition, envelope.id, now);
      const state = stored ?? definition.absent(envelope.id, envelope.message, context);
      if (state === null) {
        if (isRemoved) closure.over.add(key);
        return;
      }
      resident = { definition, id: envelope.id, state, dropAfterWindow: 0 };
      this.actors.set(key, resident);
      definition.started?.(state, context);
    }
    const handle = definition.handlers[envelope.message.type];
    if (handle === undefined)
      throw new Error(`${envelope.actor} has no handler for ${envelope.message.type}`);
    handle(resident.state, envelope.message, context);
    const { state } = resident;
    if (definition.isOver?.(state) === true || definition.isRemoved?.(state) === true) closure.over.add(key);
    else closure.over.delete(key);
  }

  private contextFor(kind: Kind<W>, id: string, closure: Closure<W>, now: number): Context<W, Kind<W>> {
    const listeningSince = this.isDeaf ? now : this.listeningSince;
    return new TurnContext<W, Kind<W>>(kind, id, now, listeningSince, closure, this.ports);
  }

  private loadState(definition: AnyDefinition<W>, id: string, now: number): unknown {
    try {
      return definition.load(id, this.ports.reader, now);
    } catch (error) {
      this.ports.fatal(error);
      throw error;
    }
  }

  private reload(dropped: readonly Resident<W>[], closure: Closure<W>, now: number): void {
    for (const { definition, id } of dropped) {
      const state = this.loadState(definition, id, now);
      if (state === null) continue;
      const key = actorKey<W>(definition.kind, id);
      closure.touched.add(key);
      this.actors.set(key, { definition, id, state, dropAfterWindow: 0 });
      definition.started?.(state, this.contextFor(definition.kind, id, closure, now));
    }
    this.runPending(closure, now);
    closure.pending.length = 0;
  }

  /** Loads dropped actors again without a message; false always, so that the window is closed. */
  private restore(
    dropped: readonly Resident<W>[],
    now: number,
    window: Window<W>,
    changes: W['change'][],
  ): boolean {
    const closure = new Closure<W>();
    try {
      this.reload(dropped, closure, now);
      this.keep(closure, window, changes);
    } catch (error) {
      this.ports.fatal(error);
    }
    return false;
  }

  private drop(closure: Closure<W>, before: readonly Resident<W>[]): readonly Resident<W>[] {
    const dropped = new Map(before.map((each) => [actorKey<W>(each.definition.kind, each.id), each]));
    for (const key of closure.touched) {
      const resident = this.actors.get(key);
      if (resident === undefined) continue;
      dropped.set(key, resident);
      this.remove(key);
    }
    return [...dropped.values()];
  }

  private remove(key: string): void {
    this.actors.delete(key);
    for (const timer of this.timersOf.get(key) ?? []) this.timers.cancel(timer);
    this.timersOf.delete(key);
  }

  private poison(mail: Mail<W>, error: unknown, window: Window<W>): void {
    this.ports.log('error', 'a message is poisoned: its handler threw twice', describe(mail.envelope, error));
    const waiting = replyToOf(mail.envelope.message);
    if (waiting !== null) {
      const answer = refused('internal', 'the request could not be handled; the diagnostics have the reason');
      window.outputs.push({ kind: 'reply', to: waiting, answer });
    }
    if (mail.onSettled !== null) window.settled.push(mail.onSettled);
  }

  private keep(closure: Closure<W>, window: Window<W>, changes: W['change'][]): void {
    for (const change of closure.changes) changes.push(change);
    for (const output of closure.outputs) window.outputs.push(output);
    for (const order of closure.timers) this.orderTimer(order);
    for (const key of closure.touched) {
      const resident = this.actors.get(key);
      if (resident !== undefined) resident.dropAfterWindow = closure.over.has(key) ? window.number : 0;
    }
    if (closure.over.size > 0) window.settled.push(() => this.dropOver(closure.over, window.number));
  }

  private dropOver(keys: ReadonlySet<string>, windowNumber: number): void {
    for (const key of keys) {
      if (this.actors.get(key)?.dropAfterWindow === windowNumber) this.remove(key);
    }
  }

  private orderTimer(order: TimerOrder<W>): void {
    const key = `${order.actorKey} ${order.name}`;
    if (order.op === 'cancel') {
      this.timers.cancel(key);
      this.forgetTimer(key);
      return;
    }
    if (!this.actors.has(order.actorKey)) return;
    this.timers.set(key, this.ports.monotonicClock() + order.delayMs, order.envelope);
    const names = this.timersOf.get(order.actorKey);
    if (names === undefined) this.timersOf.set(order.actorKey, new Set([key]));
    else names.add(key);
  }

  private forgetTimer(key: string): void {
    const owner = key.slice(0, key.indexOf(' '));
    const names = this.timersOf.get(owner);
    names?.delete(key);
    if (names?.size === 0) this.timersOf.delete(owner);
  }

  private close(window: Window<W>, changes: readonly W['change'][]): void {
    this.windows.push(window);
    if (changes.length === 0) {
      window.durable = true;
      this.releaseDurable();
      return;
    }
    this.ports.commit(changes, () => {
      window.durable = true;
      this.releaseDurable();
      this.ports.wake();
    });
  }

  private releaseDurable(): void {
    for (let first = this.windows[0]; first?.durable === true; first = this.windows[0]) {
      this.windows.shift();
      if (first.outputs.length > 0) this.ports.release(first.outputs, first.startedAt);
      for (const settled of first.settled) settled();
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

function replyToOf(message: { readonly type: string; readonly replyTo?: unknown }): ReplyTo | null {
  return typeof message.replyTo === 'string' ? (message.replyTo as ReplyTo) : null;
}
