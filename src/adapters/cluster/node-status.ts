import type { NodeState } from '../../core/cluster/node-states.ts';
import { finite, messageParser, record, text } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { readText } from '../nats/message-text.ts';
import { clusterNames } from '../nats/log/cluster-names.ts';
import type { LogStream } from '../nats/log/log-stream.ts';

const VERSION = 1;
const ANSWER_MS = 1000;
/** A node that lacks more records than this would take long to apply them. */
const LAG_MAX = 1000;

/** Where a node is in the log. */
export interface NodeStatus {
  readonly state: NodeState;
  readonly position: number;
}

type Messages = Pick<LogStream, 'messages'>;

/** Answers other nodes that ask where this node is. */
export function serveStatus(
  { messages }: Messages,
  { cluster, node }: { readonly cluster: string; readonly node: string },
  status: () => NodeStatus,
): void {
  messages.listen(clusterNames(cluster).statusOf(node), (_, answer) => {
    answer(Buffer.from(JSON.stringify({ v: VERSION, ...status() })));
  });
}

/** A follower that can take over; or why the node cannot. */
type Candidate = { readonly node: string; readonly position: number } | { readonly fault: string };

async function candidate(
  { messages }: Messages,
  cluster: string,
  node: string,
  position: number,
): Promise<Candidate> {
  const answer = await messages.ask(clusterNames(cluster).statusOf(node), '', ANSWER_MS);
  if (answer === null) return { fault: `node ${node} does not answer: is it running?` };
  const status = readText(answer, parseStatus);
  if (!status.ok || status.value.state !== 'follower')
    return { fault: `node ${node} does not follow the log` };
  const lag = position - status.value.position;
  return lag > LAG_MAX
    ? { fault: `node ${node} is ${lag} records behind: try again when it has read them` }
    : { node, position: status.value.position };
}

/** Asks nodes where they are. Returns the one that is the furthest, or why none can take over from an owner at this position. */
export async function findSuccessor(
  messages: Messages,
  cluster: string,
  nodes: readonly string[],
  position: number,
): Promise<Candidate> {
  const found = await Promise.all(nodes.map((node) => candidate(messages, cluster, node, position)));
  const [best] = found
    .flatMap((each) => ('node' in each ? [each] : []))
    .toSorted((one, other) => other.position - one.position);
  if (best !== undefined) return best;
  const faults = found.flatMap((each) => ('fault' in each ? [each.fault] : []));
  return { fault: faults.length === 0 ? 'there is no other node' : faults.join('; ') };
}

/** The state of a later version may have another name: only `follower` matters. */
const parseStatus = messageParser(
  record<{ readonly state: string; readonly position: number }>({
    state: text(WIRE_LIMITS.name),
    position: finite,
  }),
  { length: WIRE_LIMITS.statusText, nesting: 2 },
);
