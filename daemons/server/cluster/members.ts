import {
  FRONT_PROTOCOL_VERSION,
  parseStanding,
  type StandingMessage,
} from '../../../src/core/cluster/front-messages.ts';
import type { ClusterOverview, NodeOverview } from '../../../src/core/cluster/cluster-overview.ts';
import type { ClusterConfig } from '../../../src/core/config/cluster-config.ts';

/** A node that was not seen for this time does not count for the quorum. */
const PRESENT_MS = 3500;

const decoder = new TextDecoder();

/** The nodes of a cluster, from what they announce each second. */
export class Members {
  readonly #config: ClusterConfig;
  readonly #self: () => NodeOverview;
  readonly #logId: () => string;
  readonly #logLeader: () => string | null;
  readonly #now: () => number;
  readonly #others = new Map<string, NodeOverview>();

  constructor(
    config: ClusterConfig,
    parts: {
      readonly self: () => NodeOverview;
      readonly logId: () => string;
      readonly logLeader: () => string | null;
      readonly now: () => number;
    },
  ) {
    this.#config = config;
    this.#self = parts.self;
    this.#logId = parts.logId;
    this.#logLeader = parts.logLeader;
    this.#now = parts.now;
  }

  /** Returns the announcement of this node. */
  announcement(): string {
    const { seenAt: _seenAt, ...standing } = this.#self();
    return JSON.stringify({ v: FRONT_PROTOCOL_VERSION, ...standing } satisfies StandingMessage);
  }

  /** Takes in an announcement. Returns why it cannot be read, or null. */
  received(data: Uint8Array): string | null {
    const read = parseStanding(decoder.decode(data));
    if (!read.ok) return read.reason;
    const { v: _v, ...standing } = read.value;
    if (standing.name !== this.#config.node)
      this.#others.set(standing.name, { ...standing, seenAt: this.#now() });
    return null;
  }

  overview(): ClusterOverview {
    const { name, node, peers } = this.#config;
    const now = this.#now();
    const self = this.#self();
    const isPresent = ({ seenAt }: NodeOverview): boolean => seenAt !== null && now - seenAt < PRESENT_MS;
    const names = new Set([...peers.map((peer) => peer.name), ...this.#others.keys()]);
    const nodes = [...names]
      .sort()
      .map((each) => (each === node ? self : this.#others.get(each)) ?? unseen(each))
      .map((each) => (isPresent(each) ? each : { ...each, role: 'unreachable' as const, isCurrent: false }));
    const present = nodes.filter(isPresent);
    return {
      name,
      node,
      logId: this.#logId(),
      logLeader: this.#logLeader(),
      epoch: Math.max(...present.map(({ epoch }) => epoch)),
      owner: ownerOf(present),
      nodes,
      quorum: { present: present.length, needed: Math.floor(peers.length / 2) + 1 },
    };
  }
}

/** An owner that has not noticed its end has a lower epoch. */
const ownerOf = (present: readonly NodeOverview[]): string | null =>
  present.filter(({ role }) => role === 'owner').sort((a, b) => b.epoch - a.epoch)[0]?.name ?? null;

const unseen = (name: string): NodeOverview => ({
  name,
  role: 'unreachable',
  position: 0,
  epoch: 0,
  lagRecords: 0,
  lagMs: 0,
  isCurrent: false,
  version: '',
  httpAddress: '',
  seenAt: null,
});
