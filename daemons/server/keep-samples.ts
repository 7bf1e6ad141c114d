import type { KeepSample } from '../../http/history/farm-watch.ts';
import type { Shards } from './shards.ts';
import type { StartContext } from './start-context.ts';

/** Returns a function that stores a sample through the actor of its farm. */
export const keepSamples =
  (
    shards: Pick<Shards, 'ask'>,
    { logger, stopping }: Pick<StartContext, 'logger' | 'stopping'>,
  ): KeepSample =>
  (farm, sample) => {
    shards
      .ask<null>((replyTo) => ({
        actor: 'farm',
        id: farm,
        message: { type: 'farm.sampled', sample, replyTo },
      }))
      .then(
        (outcome) => {
          // A farm that was deleted in the meantime needs no history.
          if (outcome.ok || outcome.problem.kind === 'not-found' || stopping.aborted) return;
          logger.warn({ farm_id: farm, detail: outcome.problem.detail }, 'sample of a farm not stored');
        },
        (error: unknown) => logger.warn({ farm_id: farm, err: error }, 'sample of a farm not stored'),
      );
  };
