import type { Readiness } from '../../client/resources.ts';

/** A part of the server that does not work. */
export interface ServiceFault {
  /** For the top bar. */
  readonly label: string;
  readonly sentence: string;
}

/** Returns the answer of `/readyz`, which is also complete if the server is not ready. */
export async function readiness(base: string, signal: AbortSignal): Promise<Readiness> {
  const response = await fetch(`${base}/readyz`, { signal });
  const body: unknown = await response.json();
  if (isReadiness(body)) return body;
  throw new Error(`unexpected answer of /readyz, with status ${response.status}`);
}

const isReadiness = (body: unknown): body is Readiness =>
  typeof body === 'object' && body !== null && 'checks' in body && 'details' in body;

/** Returns the fault of a node of a cluster. A node that is ready may have one: it waits for the next owner. */
function clusterFaultOf({ checks, details: { cluster } }: Readiness): ServiceFault | null {
  if (cluster === undefined) return null;
  if (cluster.owner === undefined)
    return {
      label: 'No owner',
      sentence:
        'No node owns the cluster. No tasks are assigned and changes are not accepted. Running tasks continue.',
    };
  if (cluster.is_current && checks.cluster === 'ok') return null;
  const reason = checks.cluster === 'ok' ? '' : `: ${checks.cluster ?? 'unknown'}`;
  return {
    label: 'Stale',
    sentence: `Node ${cluster.node} does not follow the owner of the cluster. Data may be old${reason}.`,
  };
}

/** Returns the role of the node that serves the page; empty for a single node. */
export function nodeText(answer: Readiness | undefined): string {
  const cluster = answer?.details.cluster;
  if (cluster === undefined) return '';
  const { node, name, role, owner, lag_ms: lag } = cluster;
  const own = `Node ${node} of cluster ${name}: ${role}`;
  return role === 'owner' ? `${own}.` : `${own}, owner ${owner ?? 'unknown'}, lag ${lag} ms.`;
}

/** Returns the most important fault; null if the server is ready, or its state is unknown. */
export function faultOf(answer: Readiness | undefined): ServiceFault | null {
  if (answer === undefined) return null;
  const { checks, details } = answer;
  const ofCluster = clusterFaultOf(answer);
  if (answer.status === 'ok') return ofCluster;
  if (details.stopping) return { label: 'Stopping', sentence: 'The server is stopping.' };
  if (checks.store !== 'ok')
    return { label: 'Store down', sentence: `The server cannot read its store: ${checks.store}.` };
  if (checks.bus === 'ok' && ofCluster !== null) return ofCluster;
  return {
    label: 'Bus down',
    sentence: `The server cannot reach the bus: ${checks.bus}. No tasks are assigned, and reports of workers are delayed.`,
  };
}
