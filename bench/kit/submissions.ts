import { RawHttpClient } from './raw-http-client.ts';
import { percentile } from './results.ts';

export interface Place {
  readonly url: string;
  readonly farmId: string;
  readonly queueId: string;
}

/** A complete request that submits a template. */
export function submissionOf({ farmId, queueId }: Place, template: string, format: 'json' | 'yaml'): Buffer {
  const path = `/api/v1/jobs?farm_id=${farmId}&queue_id=${queueId}&priority=1`;
  return RawHttpClient.request('POST', path, `application/${format}`, template);
}

/** Submits once. Returns the milliseconds from the request to its 201. Throws for any other answer. */
export async function submitTimed(client: RawHttpClient, request: Buffer): Promise<number> {
  const startedAt = performance.now();
  const { status, body } = await client.send(request);
  if (status !== 201)
    throw new Error(`a submission was answered with ${status}: ${body.toString().slice(0, 300)}`);
  return performance.now() - startedAt;
}

export interface SubmissionRate {
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/**
 * N clients, each with a kept-alive connection, submit the same job repeatedly. The first half second is not counted.
 */
export async function submissionRate(
  url: string,
  request: Buffer,
  clients: number,
  seconds: number,
): Promise<SubmissionRate> {
  const times: number[] = [];
  const countsFrom = performance.now() + 500;
  const endsAt = countsFrom + seconds * 1000;
  const connections = await Promise.all(Array.from({ length: clients }, () => RawHttpClient.open(url)));
  await Promise.all(
    connections.map(async (client) => {
      while (performance.now() < endsAt) {
        const isCounted = performance.now() >= countsFrom;
        const milliseconds = await submitTimed(client, request);
        if (isCounted) times.push(milliseconds);
      }
      client.close();
    }),
  );
  times.sort((a, b) => a - b);
  return {
    per_second: Math.round(times.length / seconds),
    p50_ms: percentile(times, 0.5),
    p99_ms: percentile(times, 0.99),
  };
}
