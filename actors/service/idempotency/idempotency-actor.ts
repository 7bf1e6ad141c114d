/**
 * States: the timer (it stays in memory), a piece of a sweep (evicted after its turn). Invariants: the timer is set
 * while the timer actor is active; a piece deletes only expired keys. Exits: a piece that is not full is the last one
 * of its sweep.
 */

import type { StoreReader } from '../../../src/core/ports/store.ts';
import { remove } from '../../../src/core/records/change-set.ts';
import { dayOfIdempotencyKey, keys } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSystem } from '../service-system.ts';
import { KEY_SWEEP } from './messages.ts';

const PERIOD_MS = 3_600_000;

/** Maximum number of rows that one batch of a sweep deletes. */
export const KEY_SWEEP_ROWS = 500;

type IdempotencyState =
  | { readonly kind: 'timer' }
  /** Keys of expired rows. */
  | { readonly kind: 'piece'; readonly expired: readonly string[] };

/** Rows are ordered by the day of their requests, so a sweep reads only expired ones. */
function loadPiece(reader: StoreReader, now: number): IdempotencyState {
  const kept = dayOfIdempotencyKey(keys.idempotencyKeyBefore(now, ''));
  const expired: string[] = [];
  for (const { key } of reader.scan('idempotencyKey', { limit: KEY_SWEEP_ROWS })) {
    if (dayOfIdempotencyKey(key) >= kept) break;
    expired.push(key);
  }
  return { kind: 'piece', expired };
}

/**
 * The idempotency actor deletes keys of submissions at most an hour after they expire (docs/decisions/idempotency.md).
 * It does so in batches; the request of the next batch is delivered after the commit.
 */
export function idempotencyActor(): ActorDefinition<ServiceSystem, 'idempotency', IdempotencyState> {
  return {
    kind: 'idempotency',
    load: (id, reader, now) => (id === KEY_SWEEP ? loadPiece(reader, now) : { kind: 'timer' }),
    onActivated: (state, context) => {
      if (state.kind === 'timer') context.after('sweep', 0, { type: 'keys.due' });
    },
    isEvictable: (state) => state.kind === 'piece',
    onMissing: () => null,
    handlers: {
      'keys.activate': () => undefined,
      'keys.due': (_state, _message, context) => {
        context.send('idempotency', KEY_SWEEP, { type: 'keys.sweep' });
        context.after('sweep', PERIOD_MS, { type: 'keys.due' });
      },
      'keys.sweep': (state, message, context) => {
        if (state.kind !== 'piece') return;
        for (const key of state.expired) context.change(remove('idempotencyKey', key));
        if (state.expired.length < KEY_SWEEP_ROWS) return;
        context.effect({ kind: 'forward', envelope: { actor: 'idempotency', id: KEY_SWEEP, message } });
      },
    },
  };
}
