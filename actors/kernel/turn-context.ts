import type { Context, Kind, LogLevel, TimerName, World } from './actor.ts';
import type { Envelope, ReplyTo } from './address.ts';
import { actorKey, type Closure } from './closure.ts';
import type { KernelPorts } from './ports.ts';

/** What one turn sees of the world; everything it does is noted in its closure. */
export class TurnContext<W extends World, K extends Kind<W>> implements Context<W, K> {
  readonly now: number;
  readonly listeningSince: number;
  private readonly kind: K;
  private readonly id: string;
  private readonly closure: Closure<W>;
  private readonly ports: KernelPorts<W>;

  constructor(
    kind: K,
    id: string,
    now: number,
    listeningSince: number,
    closure: Closure<W>,
    ports: KernelPorts<W>,
  ) {
    this.kind = kind;
    this.id = id;
    this.now = now;
    this.listeningSince = listeningSince;
    this.closure = closure;
    this.ports = ports;
  }

  newId(): string {
    return this.ports.newId();
  }

  send<T extends Kind<W>>(actor: T, id: string, message: W['messages'][T]): void {
    this.closure.pending.push({ actor, id, message });
  }

  reply(to: ReplyTo, answer: unknown): void {
    this.closure.outputs.push({ kind: 'reply', to, answer });
  }

  effect(effect: W['effect']): void {
    this.closure.outputs.push({ kind: 'effect', effect });
  }

  change(change: W['change']): void {
    this.closure.changes.push(change);
  }

  after(name: TimerName, delayMs: number, message: W['messages'][K]): void {
    const envelope = { actor: this.kind, id: this.id, message } as Envelope<W['messages']>;
    this.closure.timers.push({ op: 'set', actorKey: this.key, name, delayMs, envelope });
  }

  cancelTimer(name: TimerName): void {
    this.closure.timers.push({ op: 'cancel', actorKey: this.key, name });
  }

  log(level: LogLevel, text: string, attributes: Readonly<Record<string, string>> = {}): void {
    this.ports.log(level, text, attributes);
  }

  private get key(): string {
    return actorKey<W>(this.kind, this.id);
  }
}
