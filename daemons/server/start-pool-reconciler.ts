import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { askSource } from '../../src/adapters/pools/ask-source.ts';
import { actorsOf } from './actors-of.ts';
import { PoolReconciler } from './pool-reconciler.ts';
import type { Shards } from './shards.ts';
import type { StartContext } from './start-context.ts';

/** Starts the measurements of usage pools, until the service stops. */
export function startPoolReconciler(
  { config, logger, shutdown }: StartContext,
  reader: StateReader,
  shards: Shards,
): void {
  const { pools: settings } = config;
  const reconciler = new PoolReconciler(
    {
      store: reader,
      actors: actorsOf(() => shards, reader),
      ask: (source, stopping) => askSource(source, { timeoutMs: settings.timeoutMs, stopping }),
      now: () => Date.now(),
      log: (level, text, attributes) => logger[level](attributes, text),
    },
    settings,
  );
  shutdown.add('http', () => reconciler.close());
}
