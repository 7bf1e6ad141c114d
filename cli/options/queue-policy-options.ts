import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Farm } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { parseSpan } from './expiry.ts';

type Body = BodyOf<'put', '/farms/{id}'>;

/** Options of the queue policy of a farm (docs/policy.md#queue-policies). */
export interface QueuePolicyOptions {
  readonly queuePolicy?: NonNullable<Farm['queue_policy']>;
  readonly shareBy?: NonNullable<Farm['shared_by']>;
  readonly shareWeights?: Readonly<Record<string, number>>;
  readonly usageHalfLife?: number;
  readonly priorityFirst?: 'yes' | 'no';
}

const POLICIES = ['fifo', 'balanced', 'weighted'] as const;
const SHARED_BY = ['owner', 'project', 'job', 'queue'] as const;
const MS_PER_SECOND = 1000;

/** Parses `ana=2,tomas=0.5`; `none` removes all weights. */
function weightsOf(text: string): Readonly<Record<string, number>> {
  if (text === 'none') return {};
  return Object.fromEntries(
    text.split(',').map((part) => {
      const at = part.lastIndexOf('=');
      const weight = Number(part.slice(at + 1));
      if (at <= 0 || part.slice(at + 1).trim() === '' || !(weight > 0))
        throw new InvalidArgumentError('It must be a list such as ana=2,tomas=0.5, or none.');
      return [part.slice(0, at).trim(), weight];
    }),
  );
}

function halfLifeOf(text: string): number {
  const ms = parseSpan(text);
  if (ms === null || ms % MS_PER_SECOND !== 0)
    throw new InvalidArgumentError('It must be a duration such as 12h or 7d.');
  return ms / MS_PER_SECOND;
}

export const queuePolicyOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--queue-policy <policy>',
        'order of tasks: fifo for priority and age, balanced for equal numbers of cores in use, weighted for shares of past usage',
      ).choices(POLICIES),
    )
    .addOption(
      new Option(
        '--share-by <what>',
        'what shares the farm: owner, project or job for balanced; owner, project or queue for weighted',
      ).choices(SHARED_BY),
    )
    .option(
      '--share-weights <weights>',
      'weights of the shares: ana=2,tomas=0.5; none for no weights',
      weightsOf,
    )
    .option(
      '--usage-half-life <duration>',
      'time in which past usage loses half of its effect: 12h, 7d',
      halfLifeOf,
    )
    .addOption(
      new Option(
        '--priority-first <yes|no>',
        'whether jobs of higher priority come first in any case',
      ).choices(['yes', 'no']),
    );

/** Returns the fields of the body that the options change. */
export const queuePolicyChanges = (
  options: QueuePolicyOptions,
): Pick<
  Partial<Body>,
  'queue_policy' | 'shared_by' | 'share_weights' | 'usage_half_life_seconds' | 'priority_first'
> => ({
  ...(options.queuePolicy !== undefined && { queue_policy: options.queuePolicy }),
  ...(options.shareBy !== undefined && { shared_by: options.shareBy }),
  ...(options.shareWeights !== undefined && { share_weights: options.shareWeights }),
  ...(options.usageHalfLife !== undefined && { usage_half_life_seconds: options.usageHalfLife }),
  ...(options.priorityFirst !== undefined && { priority_first: options.priorityFirst === 'yes' }),
});
