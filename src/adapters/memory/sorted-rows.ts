import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
import type { ScanOptions } from '../../core/ports/store.ts';
import { compareKeys } from './key-order.ts';

/** Rows of one table in the order of their keys, with encoded values. */
export interface SortedRows {
  get(key: string): Uint8Array | undefined;
  put(key: string, value: Uint8Array): void;
  remove(key: string): void;
  removePrefix(prefix: string): void;
  scan(options?: ScanOptions): Generator<[key: string, value: Uint8Array], void, undefined>;
}

export function createSortedRows(): SortedRows {
  const values = new Map<string, Uint8Array>();
  const order: string[] = [];

  const placeOf = (key: string): number =>
    partitionPoint(order.length, (at) => compareKeys(order[at] ?? '', key) < 0);

  /** Returns the index after the last key that begins with the prefix. */
  const endOf = (prefix: string): number =>
    partitionPoint(order.length, (at) => {
      const key = order[at] ?? '';
      return compareKeys(key, prefix) < 0 || key.startsWith(prefix);
    });

  return {
    get: (key) => values.get(key),
    put(key, value) {
      if (!values.has(key)) order.splice(placeOf(key), 0, key);
      values.set(key, value);
    },
    remove(key) {
      if (values.delete(key)) order.splice(placeOf(key), 1);
    },
    removePrefix(prefix) {
      const from = placeOf(prefix);
      for (const key of order.splice(from, endOf(prefix) - from)) values.delete(key);
    },
    *scan({ prefix = '', after, reverse = false, limit = Infinity } = {}) {
      const first = placeOf(prefix);
      const end = endOf(prefix);
      const bound = after === undefined ? undefined : placeOf(after);
      const isThere = bound !== undefined && order[bound] === after;
      const from = reverse || bound === undefined ? first : Math.max(first, isThere ? bound + 1 : bound);
      const to = reverse && bound !== undefined ? Math.min(end, bound) : end;
      const keys = reverse ? order.slice(from, to).reverse() : order.slice(from, to);
      let count = 0;
      for (const key of keys) {
        const value = values.get(key);
        if (count++ >= limit || value === undefined) return;
        yield [key, value];
      }
    },
  };
}
