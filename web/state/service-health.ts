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

/** Returns the most important fault; null if the server is ready, or its state is unknown. */
export function faultOf(answer: Readiness | undefined): ServiceFault | null {
  if (answer === undefined || answer.status === 'ok') return null;
  const { checks, details } = answer;
  if (details.stopping) return { label: 'Stopping', sentence: 'The server is stopping.' };
  if (checks.store !== 'ok')
    return { label: 'Store down', sentence: `The server cannot read its store: ${checks.store}.` };
  return {
    label: 'Bus down',
    sentence: `The server cannot reach the bus: ${checks.bus}. No tasks are assigned, and reports of workers are delayed.`,
  };
}
