/** Facts that the nodes of a cluster exchange, and the differences that are refused. */

/** Facts of a node. */
export interface NodeFacts {
  readonly node: string;
  /** Random text of its process. */
  readonly instance: string;
  /** Version of the software. */
  readonly version: string;
  /** Format of the records that it writes as owner. */
  readonly recordFormat: number;
  /** Format of its store. */
  readonly stateFormat: number;
  /** Its wall clock when it answered. */
  readonly timeMs: number;
}

/** Facts of another node, and when they were asked for and received, by the own wall clock. */
export interface HeardFacts {
  readonly facts: NodeFacts;
  readonly askedMs: number;
  readonly receivedMs: number;
}

/** Clocks may differ by this much: times of jobs and attempts come from the wall clock of their owner. */
const CLOCK_LIMIT_MS = 2_000;

/** How far another clock is ahead of the own one, at least: what the time of the exchange may explain is subtracted. */
export function clockLead({ facts, askedMs, receivedMs }: HeardFacts): number {
  if (facts.timeMs > receivedMs) return facts.timeMs - receivedMs;
  return facts.timeMs < askedMs ? facts.timeMs - askedMs : 0;
}

/**
 * Returns why this node must not start with its clock; null if it may. If the clocks of the others agree, it is the own one
 * that is wrong; with a single other node, either may be.
 */
export function clockRefusal(own: string, heard: readonly HeardFacts[]): string | null {
  const leads = heard.map((each) => ({ node: each.facts.node, lead: clockLead(each) }));
  const isOwnFar = Math.abs(medianOf([0, ...leads.map(({ lead }) => lead)])) > CLOCK_LIMIT_MS;
  const far = leads.filter(({ lead }) => Math.abs(lead) > CLOCK_LIMIT_MS);
  const [first] = far;
  if (first === undefined || (!isOwnFar && leads.length > 1)) return null;
  const others = far.map(({ node, lead }) => `${node} ${leadText(lead)}`).join(', ');
  return `the clock of node ${own} differs from other nodes by more than ${CLOCK_LIMIT_MS / 1000} s (${others}): set the clocks right, for example with chrony, and start again`;
}

/** Returns why another process has the name of this node; null if none has. */
export function nameRefusal(
  own: Pick<NodeFacts, 'node' | 'instance'>,
  heard: readonly HeardFacts[],
): string | null {
  const isTwin = heard.some(({ facts }) => facts.node === own.node && facts.instance !== own.instance);
  return isTwin
    ? `another process runs as node ${own.node}: give each node its own name in cluster.node, or stop the other process`
    : null;
}

/** Returns one line for each other node whose clock is far from the own one. */
export function clockWarnings(own: string, heard: readonly HeardFacts[]): readonly string[] {
  return heard
    .map((each) => ({ node: each.facts.node, lead: clockLead(each) }))
    .filter(({ lead }) => Math.abs(lead) > CLOCK_LIMIT_MS)
    .map(
      ({ node, lead }) =>
        `the clock of node ${node} is ${leadText(lead)} of that of node ${own}: set the clocks right; a node does not start with more than ${CLOCK_LIMIT_MS / 1000} s`,
    );
}

/** Formats that this version reads: records and stores from the oldest to the newest. */
export interface KnownFormats {
  readonly record: number;
  readonly state: number;
}

/** Returns why this version cannot be a node of the cluster of the others; null if it can. */
export function formatRefusal(known: KnownFormats, heard: readonly HeardFacts[]): string | null {
  const newer = heard.filter(({ facts }) => facts.recordFormat > known.record);
  const [first] = newer;
  if (first === undefined) return null;
  const names = newer.map(({ facts }) => `${facts.node} (version ${facts.version})`).join(', ');
  return `node ${names} writes records of format ${first.facts.recordFormat}, and this version reads up to format ${known.record}: upgrade this node`;
}

/** Returns one line for each other node whose store this version cannot copy. */
export const formatWarnings = (known: KnownFormats, heard: readonly HeardFacts[]): readonly string[] =>
  heard
    .filter(({ facts }) => facts.stateFormat > known.state)
    .map(
      ({ facts }) =>
        `the store of node ${facts.node} (version ${facts.version}) has format ${facts.stateFormat}, and this version knows format ${known.state}: this node cannot copy it. Upgrade this node`,
    );

const leadText = (lead: number): string =>
  `${(Math.abs(lead) / 1000).toFixed(1)} s ${lead > 0 ? 'ahead' : 'behind'}`;

/** Returns the median; of an even number, the mean of both middle ones. */
function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
