import type { EncodedChange } from './change-set-codec.ts';
import type { ByteDatabase } from './environment.ts';
import { removePrefixRows } from './remove-prefix.ts';

/** Applies a change to its table. Must be called in a transaction. */
export function applyChange(database: ByteDatabase, { op, key, value }: EncodedChange): void {
  switch (op) {
    case 'put':
      database.putSync(key, value);
      return;
    case 'remove':
      database.removeSync(key);
      return;
    case 'removePrefix':
      removePrefixRows(database, key, Infinity);
  }
}
