/**
 * Invariants: at most one activation per kind and id. Exits: `remove`, or replacement by `add`.
 */

import type { AnyDefinition, ActorSystem } from './actor.ts';
import type { Activation } from './activation.ts';

/** A kind of actor and its activations by actor id. */
export interface ActivationGroup<W extends ActorSystem> {
  readonly definition: AnyDefinition<W>;
  readonly byId: Map<string, Activation<W>>;
}

/** The actors in memory. */
export class ActivationTable<W extends ActorSystem> {
  private readonly kinds: ReadonlyMap<string, ActivationGroup<W>>;

  constructor(definitions: readonly AnyDefinition<W>[]) {
    this.kinds = new Map(
      definitions.map((definition) => [
        definition.kind,
        { definition, byId: new Map<string, Activation<W>>() },
      ]),
    );
  }

  ofKind(kind: string): ActivationGroup<W> {
    const found = this.kinds.get(kind);
    if (found === undefined) throw new Error(`no actor of the kind ${kind}`);
    return found;
  }

  add(activation: Activation<W>): void {
    this.ofKind(activation.definition.kind).byId.set(activation.id, activation);
  }

  remove(activation: Activation<W>): void {
    if (this.has(activation)) this.ofKind(activation.definition.kind).byId.delete(activation.id);
  }

  /** Reports whether this activation is in the table. False once another one with the same id has replaced it. */
  has(activation: Activation<W>): boolean {
    return this.ofKind(activation.definition.kind).byId.get(activation.id) === activation;
  }
}
