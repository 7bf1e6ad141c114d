import type { FarmInput } from '../../actors/service/catalog/messages.ts';
import { farmId } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { FIFO, SHARERS_OF, type QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import type { Schemas } from './schemas.ts';

type PolicyFields = Pick<
  Schemas['FarmInput'],
  'queue_policy' | 'shared_by' | 'share_weights' | 'usage_half_life_seconds' | 'priority_first'
>;

/** Returns the fields of a farm's queue policy (docs/policy.md#queue-policies). */
export const queuePolicyView = ({
  kind,
  sharedBy,
  weights,
  halfLifeSeconds,
  priorityFirst,
  version,
}: QueuePolicySetting): Omit<Required<PolicyFields>, 'share_weights'> &
  Pick<Schemas['Farm'], 'share_weights' | 'queue_policy_version'> => ({
  queue_policy: kind,
  shared_by: sharedBy,
  share_weights: Object.fromEntries(weights.map(({ name, weight }) => [name, weight])),
  usage_half_life_seconds: halfLifeSeconds,
  priority_first: priorityFirst,
  queue_policy_version: version,
});

/**
 * Returns the parts of the queue policy that the body sets. Weights that name a queue of the farm are stored under its
 * id, so that they stay when it is renamed.
 */
export function queuePolicyInput(
  body: PolicyFields,
  stored: QueuePolicySetting | undefined,
  farm: string,
  store: StoreReader,
): Pick<FarmInput, 'queuePolicy'> {
  const { queue_policy: kind, shared_by: sharedBy, share_weights: weights } = body;
  const { usage_half_life_seconds: halfLifeSeconds, priority_first: priorityFirst } = body;
  const given: FarmInput['queuePolicy'] = {
    ...(kind !== undefined && { kind }),
    ...(sharedBy !== undefined && { sharedBy }),
    ...(halfLifeSeconds !== undefined && { halfLifeSeconds }),
    ...(priorityFirst !== undefined && { priorityFirst }),
  };
  if (weights === undefined) return Object.keys(given).length === 0 ? {} : { queuePolicy: given };
  const isByQueue = (sharedBy ?? stored?.sharedBy) === 'queue';
  const ids = isByQueue ? queueIdsOf(farm, store) : new Map<string, string>();
  const byName = new Map(Object.entries(weights).map(([name, weight]) => [ids.get(name) ?? name, weight]));
  const sorted = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  return { queuePolicy: { ...given, weights: sorted.map(([name, weight]) => ({ name, weight })) } };
}

function queueIdsOf(farm: string, store: StoreReader): ReadonlyMap<string, string> {
  const id = farmId(farm);
  const queues = [...store.scan('queue')].flatMap(({ value }) => (value.farmId === id ? [value] : []));
  return new Map(queues.map((queue) => [queue.name, queue.id]));
}

/** Returns why the policy of the body cannot share the farm among what it names; null if it can. */
export function sharedByFault(
  { queue_policy: kind, shared_by: sharedBy }: PolicyFields,
  stored: QueuePolicySetting = FIFO,
): string | null {
  const policy = kind ?? stored.kind;
  if (sharedBy === undefined || SHARERS_OF[policy].includes(sharedBy)) return null;
  return `the queue policy ${policy} shares a farm by ${SHARERS_OF[policy].join(', ')}, not by ${sharedBy}`;
}
