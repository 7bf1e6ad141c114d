/**
 * The state machine of a worker's key on the bus as data (docs/decisions/bus-identity.md). `from` null is a key that the
 * credential does not contain.
 *
 * - States: `offered` was issued by a renewal, but the worker has not used it yet. `current` is in use. `replaced` is
 *   accepted until the worker has certainly moved to its successor. `refused` is refused by the bus.
 * - Invariants: a credential has at most one `offered` and one `current` key, and a revoked one has neither. Only rows of
 *   this table change a status. A trigger without a row is refused or changes nothing.
 * - Exits: an expired key is removed, because the bus accepts none without a check of its expiry.
 */
export type KeyStatus = 'offered' | 'current' | 'replaced' | 'refused';

export type KeyTrigger =
  | 'join'
  | 'renew'
  /** The worker uses the key. */
  | 'confirm'
  /** The worker uses another key. */
  | 'confirm other'
  /** The worker renews with another key. */
  | 'renew other'
  /** The time of a replaced key has passed. */
  | 'settle'
  | 'revoke';

export interface KeyTransition {
  readonly from: KeyStatus | null;
  readonly trigger: KeyTrigger;
  readonly to: KeyStatus;
}

export const KEY_TRANSITIONS: readonly KeyTransition[] = [
  { from: null, trigger: 'join', to: 'current' },
  { from: null, trigger: 'renew', to: 'offered' },
  { from: 'offered', trigger: 'confirm', to: 'current' },
  { from: 'offered', trigger: 'renew other', to: 'refused' },
  { from: 'offered', trigger: 'revoke', to: 'refused' },
  { from: 'current', trigger: 'confirm', to: 'current' },
  { from: 'current', trigger: 'confirm other', to: 'replaced' },
  { from: 'current', trigger: 'renew other', to: 'current' },
  { from: 'current', trigger: 'revoke', to: 'refused' },
  { from: 'replaced', trigger: 'settle', to: 'refused' },
  { from: 'replaced', trigger: 'revoke', to: 'refused' },
];

const TARGETS: ReadonlyMap<string, KeyStatus> = new Map(
  KEY_TRANSITIONS.map((row) => [`${row.from ?? ''} ${row.trigger}`, row.to]),
);

/** Returns the next status of a key; null if no row of the table matches. */
export const nextKeyStatus = (from: KeyStatus | null, trigger: KeyTrigger): KeyStatus | null =>
  TARGETS.get(`${from ?? ''} ${trigger}`) ?? null;
