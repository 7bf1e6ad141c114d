import type { AnyDefinition, ActorSystem } from './actor.ts';
import type { Activation } from './activation.ts';

/** A kind of actor and its activations by actor id. */
export interface ResidentKind<W extends ActorSystem> {
  readonly definition: AnyDefinition<W>;
  readonly byId: Map<string, Activation<W>>;
}

/** The actors in memory. */
export class ActivationTable<W extends ActorSystem> {
  private readonly kinds: ReadonlyMap<string, ResidentKind<W>>;

  constructor(definitions: readonly AnyDefinition<W>[]) {
    this.kinds = new Map(
      definitions.map((definition) => [
        definition.kind,
        { definition, byId: new Map<string, Activation<W>>() },
      ]),
    );
  }

  ofKind(kind: string): ResidentKind<W> {
    const found = this.kinds.get(kind);
    if (found === undefined) throw new Error(`no actor of the kind ${kind}`);
    return found;
  }

  add(resident: Activation<W>): void {
    this.ofKind(resident.definition.kind).byId.set(resident.id, resident);
  }

  remove(resident: Activation<W>): void {
    if (this.has(resident)) this.ofKind(resident.definition.kind).byId.delete(resident.id);
  }

  /** Reports whether this activation is in the table. False once another one with the same id has replaced it. */
  has(resident: Activation<W>): boolean {
    return this.ofKind(resident.definition.kind).byId.get(resident.id) === resident;
  }
}
