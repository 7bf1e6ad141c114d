import type { EndReason } from '../../core/cluster/node-messages.ts';

/** Where a node ended. */
export interface EndPlace {
  readonly cluster: string;
  readonly node: string;
  readonly logId: string;
  /** The last record that the node has read. */
  readonly position: number;
}

/** Returns one line: what happened, where, and what to do. */
export function endText(reason: EndReason, { cluster, node, logId, position }: EndPlace): string {
  const next = `record ${position + 1} of log ${logId} of cluster ${cluster}`;
  switch (reason) {
    case 'fenced':
      return `node ${node} no longer owns cluster ${cluster}: another node took over after record ${position}. Start it again, and it follows`;
    case 'handed-over':
      return `node ${node} has handed cluster ${cluster} over after record ${position}. Start it again, and it follows`;
    case 'damaged':
      return `${next} is damaged. Start the node again; if the same record is damaged on every node, run: callsheet cluster recover`;
    case 'newer-format':
      return `${next} has a format that this version does not know. Upgrade node ${node}`;
    case 'other-log':
      return `the stream of cluster ${cluster} is not log ${logId}, of which node ${node} has the records up to ${position}. The log is a new one, or the state store is that of another cluster: see docs/high-availability.md`;
    case 'broken-chain':
      return `${next} does not follow the records before it: one of them was lost or changed. Start the node again; if every node says so, run: callsheet cluster recover`;
    case 'behind':
      return `${next} was removed after all members had it, before node ${node} read it. The node needs a copy of another node's state store, which its next start makes`;
    case 'log-shorter':
      return `log ${logId} of cluster ${cluster} ends before record ${position}, which node ${node} has: acknowledged records were lost. To continue from the node with the highest position, run there: callsheet cluster recover`;
  }
}
