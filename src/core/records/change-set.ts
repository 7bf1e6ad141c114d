import type { TableName, Tables } from './tables.ts';

/** Writes one row. */
export type PutChange = {
  [T in TableName]: {
    readonly op: 'put';
    readonly table: T;
    readonly key: string;
    readonly value: Tables[T];
  };
}[TableName];

/** Removes one row, if it exists. */
export interface RemoveChange {
  readonly op: 'remove';
  readonly table: TableName;
  readonly key: string;
}

/** Removes every row whose key begins with a prefix. */
export interface RemovePrefixChange {
  readonly op: 'removePrefix';
  readonly table: TableName;
  readonly prefix: string;
}

export type Change = PutChange | RemoveChange | RemovePrefixChange;

/**
 * The form of every write (docs/architecture.md#a-turn, docs/architecture.md#beyond-one-machine): the changes of one
 * commit window of one shard, in order, applied as a whole or not at all. `sequence` increases by one with each set of
 * a shard.
 */
export interface ChangeSet {
  readonly version: 1;
  readonly shard: number;
  readonly sequence: number;
  readonly changes: readonly Change[];
}

/** Returns a put. The value must fit its table. */
export const put = <T extends TableName>(table: T, key: string, value: Tables[T]): Change =>
  ({ op: 'put', table, key, value }) as Extract<PutChange, { table: T }>;

export const remove = (table: TableName, key: string): Change => ({ op: 'remove', table, key });

export const removePrefix = (table: TableName, prefix: string): Change => ({
  op: 'removePrefix',
  table,
  prefix,
});

/**
 * Returns the changes without those that a later one overwrites: of several puts and removals of one row only the last
 * is kept. Lists with a `removePrefix` are returned unchanged.
 */
export const coalesceChanges = (changes: readonly Change[]): readonly Change[] =>
  lastWritePerKey(changes, (change) => (change.op === 'removePrefix' ? change.prefix : change.key));

/** Like `coalesceChanges`, for changes in any form; `keyOf` returns the key of a row as text. */
export function lastWritePerKey<C extends Pick<Change, 'op' | 'table'>>(
  changes: readonly C[],
  keyOf: (change: C) => string,
): readonly C[] {
  // Keys by table: a combined key text would have to be built and hashed for each change.
  const seen = new Map<TableName, Set<string>>();
  const latest: C[] = [];
  for (let at = changes.length - 1; at >= 0; at--) {
    const change = changes[at];
    if (change === undefined) continue;
    if (change.op === 'removePrefix') return changes;
    let keys = seen.get(change.table);
    if (keys === undefined) seen.set(change.table, (keys = new Set()));
    const before = keys.size;
    if (keys.add(keyOf(change)).size > before) latest.push(change);
  }
  return latest.length === changes.length ? changes : latest.reverse();
}
