import type { Tallies } from '../../../src/core/ports/tallies.ts';
import { effectiveSlots } from '../../../src/core/pools/measured-slots.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import { takeNotice } from './deliveries.ts';
import type { WebhooksMessage } from './messages.ts';
import type { WebhooksContext, WebhooksState } from './state.ts';

/** Period of the looks at the usage pools. */
const PERIOD_MS = 15_000;

interface PoolWatchSettings {
  readonly tallies: Pick<Tallies, 'total'>;
  /** A pool without a free slot is reported after this time. */
  readonly poolExhaustedAfterMs: number;
}

/** Sets the timer of the next look, if a webhook wants to know. */
export function watchPools(state: WebhooksState, context: WebhooksContext): void {
  const isWanted = [...state.hooks.values()].some(
    ({ record }) => record.enabled && record.events.includes('pool.exhausted'),
  );
  if (isWanted) context.after('pools', PERIOD_MS, { type: 'pools.due' });
  else state.exhausted.clear();
}

export function onPoolsChanged(
  state: WebhooksState,
  { pools }: Extract<WebhooksMessage, { type: 'webhooks.pools-changed' }>,
): void {
  state.pools.clear();
  for (const pool of pools) state.pools.set(pool.id, pool);
}

/** Reports, once, each pool that had no free slot at every look for the whole time. */
export function checkPools(
  state: WebhooksState,
  settings: PoolWatchSettings,
  context: WebhooksContext,
): void {
  for (const id of [...state.exhausted.keys()]) if (!state.pools.has(id)) state.exhausted.delete(id);
  for (const pool of state.pools.values()) {
    // A limit of 0 switches the pool off.
    if (pool.maxConcurrent === 0 || settings.tallies.total(pool.slot) < effectiveSlots(pool, context.now)) {
      state.exhausted.delete(pool.id);
      continue;
    }
    const { since, isReported } = state.exhausted.get(pool.id) ?? { since: context.now, isReported: false };
    const isDue = context.now - since >= settings.poolExhaustedAfterMs;
    if (isDue && !isReported) report(state, pool, since, context);
    state.exhausted.set(pool.id, { since, isReported: isReported || isDue });
  }
}

function report(state: WebhooksState, pool: UsagePoolRecord, since: number, context: WebhooksContext): void {
  takeNotice(
    state,
    context.newId(),
    {
      type: 'pool.exhausted',
      at: timestampOf(context.now),
      farm: null,
      queue: null,
      job: null,
      worker: null,
      pool: {
        id: pool.id,
        name: pool.name,
        max_concurrent: pool.maxConcurrent,
        exhausted_since: timestampOf(since),
      },
    },
    context,
  );
}
