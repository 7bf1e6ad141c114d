/** How a farm is shared (docs/policy.md#queue-policies). `fifo` is the order of the contract. */
export const QUEUE_POLICIES = ['fifo', 'balanced', 'weighted'] as const;
export type QueuePolicyKind = (typeof QUEUE_POLICIES)[number];

/** Field of a job by which the farm is shared: jobs with the same value are one sharer. */
export const SHARED_BY = ['job', 'owner', 'project', 'queue'] as const;
export type SharedBy = (typeof SHARED_BY)[number];

/** Sharers that each policy can have, its default first; `fifo` has none. */
export const SHARERS_OF: Readonly<Record<QueuePolicyKind, readonly SharedBy[]>> = {
  fifo: SHARED_BY,
  balanced: ['owner', 'project', 'job'],
  weighted: ['owner', 'project', 'queue'],
};

/** Weight of one sharer. */
export interface SharerWeight {
  /** Owner, project, or id of a queue. */
  readonly name: string;
  /** Above 0. Those of sharers without one are 1. */
  readonly weight: number;
}

/** Setting of a farm: the order in which its tasks are assigned. */
export interface QueuePolicySetting {
  readonly kind: QueuePolicyKind;
  readonly sharedBy: SharedBy;
  /** Only for `weighted`. By name, each once. */
  readonly weights: readonly SharerWeight[];
  /** Only for `weighted`: the time in which past usage loses half of its effect. */
  readonly halfLifeSeconds: number;
  /** Whether jobs of higher priority come first, whatever their sharers have used. */
  readonly priorityFirst: boolean;
  /** From 1; rises with each change of the other fields. Bookings and explanations name it. */
  readonly version: number;
}

const HALF_LIFE_SECONDS_DEFAULT = 86_400;

/** The policy of a farm that never had another one. */
export const FIFO: QueuePolicySetting = {
  kind: 'fifo',
  sharedBy: 'owner',
  weights: [],
  halfLifeSeconds: HALF_LIFE_SECONDS_DEFAULT,
  priorityFirst: true,
  version: 0,
};

/** Why an attempt was assigned when it was: the standing of its sharer at that time. */
export interface ShareReason {
  /** Version of the policy. */
  readonly version: number;
  readonly kind: Exclude<QueuePolicyKind, 'fifo'>;
  readonly sharedBy: SharedBy;
  /** Owner, project, or id of a job or queue. */
  readonly sharer: string;
  /** Cores in use by its tasks, without this attempt. */
  readonly cores: number;
  /** Of `weighted`: usage by its weight, in core seconds, without this attempt. */
  readonly usage?: number;
}

/** Stored usage of one sharer of a farm with the policy `weighted`. */
export interface ShareUsageRecord {
  readonly version: 1;
  /** Owner, project, or id of a queue. */
  readonly name: string;
  /** Core seconds of its tasks, of which a half counts after each half-life; as of `at`. */
  readonly usage: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
