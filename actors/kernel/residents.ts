import type { AnyDefinition, World } from './actor.ts';
import type { Resident } from './resident.ts';

/** A kind of actor with those of it that are in memory, by id. */
export interface ResidentKind<W extends World> {
  readonly definition: AnyDefinition<W>;
  readonly byId: Map<string, Resident<W>>;
}

/** The actors in memory. */
export class Residents<W extends World> {
  private readonly kinds: ReadonlyMap<string, ResidentKind<W>>;

  constructor(definitions: readonly AnyDefinition<W>[]) {
    this.kinds = new Map(
      definitions.map((definition) => [
        definition.kind,
        { definition, byId: new Map<string, Resident<W>>() },
      ]),
    );
  }

  ofKind(kind: string): ResidentKind<W> {
    const found = this.kinds.get(kind);
    if (found === undefined) throw new Error(`no actor of the kind ${kind}`);
    return found;
  }

  add(resident: Resident<W>): void {
    this.ofKind(resident.definition.kind).byId.set(resident.id, resident);
  }

  remove(resident: Resident<W>): void {
    if (this.has(resident)) this.ofKind(resident.definition.kind).byId.delete(resident.id);
  }

  /** Whether the actor is in memory, and no other has taken its place. */
  has(resident: Resident<W>): boolean {
    return this.ofKind(resident.definition.kind).byId.get(resident.id) === resident;
  }
}
