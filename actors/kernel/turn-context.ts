import type { Context, Kind, LogLevel, TimerName, ActorSystem } from './actor.ts';
import type { Envelope, ReplyTo } from './address.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import type { KernelPorts } from './ports.ts';
import type { Activation } from './activation.ts';

/**
 * Context of the turns of one actor: records their actions in the unit of work. One context per activation; the kernel
 * sets its clock before each turn.
 */
export class TurnContext<W extends ActorSystem, K extends Kind<W>> implements Context<W, K> {
  now = 0;
  receivingSince = 0;
  private readonly actor: Activation<W>;
  private readonly unit: UnitOfWork<W>;
  private readonly ports: KernelPorts<W>;

  constructor(actor: Activation<W>, unit: UnitOfWork<W>, ports: KernelPorts<W>) {
    this.actor = actor;
    this.unit = unit;
    this.ports = ports;
  }

  newId(): string {
    return this.ports.newId();
  }

  send<T extends Kind<W>>(actor: T, id: string, message: W['messages'][T]): void {
    this.unit.pending.push({ actor, id, message });
  }

  reply<Answer>(to: ReplyTo<Answer>, answer: Answer): void {
    this.unit.outputs.push({ kind: 'reply', to, answer });
  }

  effect(effect: W['effect']): void {
    this.unit.outputs.push({ kind: 'effect', effect });
  }

  change(change: W['change']): void {
    this.unit.changes.push(change);
  }

  markDirty(): void {
    this.unit.markDirty(this.actor);
  }

  after(name: TimerName, delayMs: number, message: W['messages'][K]): void {
    const { actor: owner } = this;
    const envelope = { actor: owner.definition.kind, id: owner.id, message } as Envelope<W['messages']>;
    this.unit.timers.push({ op: 'set', owner, name, delayMs, envelope });
  }

  cancelTimer(name: TimerName): void {
    this.unit.timers.push({ op: 'cancel', owner: this.actor, name });
  }

  log(level: LogLevel, text: string, attributes: Readonly<Record<string, string>> = {}): void {
    this.ports.log(level, text, attributes);
  }
}
