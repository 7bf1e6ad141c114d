/**
 * State machine of a node of the replicated log as data (docs/decisions/replicated-log.md#states).
 *
 * - `follower`: reads the log and applies it;
 * - `candidate`: has appended an epoch record, and waits for its outcome;
 * - `owner`: appends, and sends output while its lease lasts;
 * - `suspended`: an owner without a lease. It sends no output, and reads the end of the log;
 * - `renewing`: an owner that begins a new epoch, because a void record took a place that it had planned;
 * - `leaving`: an owner that has sent its hand-over record, and sends no output any more;
 * - `released`: the hand-over record is in the log. The process must end;
 * - `fenced`: another node has begun an epoch. The process must end;
 * - `failed`: the log cannot be read. The process must not serve.
 */
export const NODE_STATES = [
  'follower',
  'candidate',
  'owner',
  'suspended',
  'renewing',
  'leaving',
  'released',
  'fenced',
  'failed',
] as const;
export type NodeState = (typeof NODE_STATES)[number];

export type NodeEvent =
  /** The owner wrote nothing for the takeover time, and the log could be read all the time. */
  | 'owner-silent'
  /** The last record of the log hands it over to this node. */
  | 'named'
  /** The log has acknowledged a record of this node in time: the lease is current. */
  | 'acknowledged'
  /** The epoch record of this node is in the log, without an acknowledgement in time. */
  | 'epoch-stored'
  /** Another record took the place of the epoch record. */
  | 'overtaken'
  /** The lease has expired. */
  | 'lease-expired'
  /** Void records follow the records of the owner. */
  | 'displaced'
  /** All entries are accepted, and the log is to be handed over. */
  | 'handing-over'
  /** The hand-over record of this node is in the log. */
  | 'handed-over'
  /** The log has an epoch record of another node after those of this owner. */
  | 'superseded'
  /** The log has a fault, or does not contain the next record. */
  | 'unreadable';

type Row = Partial<Record<NodeEvent, NodeState>>;

export const NODE_TRANSITIONS: Readonly<Record<NodeState, Row>> = {
  follower: { 'owner-silent': 'candidate', named: 'candidate', unreadable: 'failed' },
  candidate: {
    acknowledged: 'owner',
    'epoch-stored': 'suspended',
    overtaken: 'follower',
    unreadable: 'failed',
  },
  owner: {
    'lease-expired': 'suspended',
    'handing-over': 'leaving',
    displaced: 'renewing',
    superseded: 'fenced',
    unreadable: 'failed',
  },
  suspended: {
    acknowledged: 'owner',
    displaced: 'renewing',
    superseded: 'fenced',
    unreadable: 'failed',
  },
  renewing: {
    acknowledged: 'owner',
    'epoch-stored': 'suspended',
    // It begins again after the record that took its place.
    overtaken: 'renewing',
    superseded: 'fenced',
    unreadable: 'failed',
  },
  leaving: {
    'handed-over': 'released',
    displaced: 'renewing',
    superseded: 'fenced',
    unreadable: 'failed',
  },
  released: {},
  fenced: {},
  failed: {},
};

/** Returns the next state. Throws if the table has no row: the caller has mixed up its states. */
export function nextState(from: NodeState, event: NodeEvent): NodeState {
  const to = NODE_TRANSITIONS[from][event];
  if (to === undefined) throw new RangeError(`a node that is ${from} got ${event}`);
  return to;
}

export const isTerminal = (state: NodeState): boolean =>
  state === 'fenced' || state === 'failed' || state === 'released';

/** A state in which the node holds decisions of its own that are not in the log. */
export const isOwning = (state: NodeState): boolean =>
  state === 'owner' || state === 'suspended' || state === 'renewing' || state === 'leaving';
