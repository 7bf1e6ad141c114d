import { RawNatsClient } from './raw-nats-client.ts';
import { percentile } from './results.ts';

export interface Rate {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Bare request and reply through the same server: `clients` connections with one request each, one responder. */
export async function measureEcho(port: number, clients: number, requests: number): Promise<Rate> {
  const responder: RawNatsClient = await RawNatsClient.open(
    '127.0.0.1',
    port,
    (_subscription, payload, replyTo) => {
      responder.publish(replyTo, payload.toString('latin1'));
    },
  );
  responder.subscribe('bench.echo', 1);
  const latencies = new Float64Array(requests);
  let sent = 0;
  let received = 0;
  const payload = 'x'.repeat(200);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const swarm = await Promise.all(
    Array.from({ length: clients }, async (_unused, index) => {
      let askedAt = 0;
      const inbox = `_INBOX.bench.echo${index}`;
      const ask = (): void => {
        if (sent >= requests) return;
        sent++;
        askedAt = performance.now();
        client.publish('bench.echo', payload, inbox);
      };
      const client: RawNatsClient = await RawNatsClient.open('127.0.0.1', port, () => {
        latencies[received++] = performance.now() - askedAt;
        if (received === requests) finish();
        else ask();
      });
      client.subscribe(inbox, 1);
      return { client, ask };
    }),
  );
  const startedAt = performance.now();
  for (const { ask } of swarm) ask();
  await finished;
  const seconds = (performance.now() - startedAt) / 1000;
  for (const { client } of swarm) client.close();
  responder.close();
  latencies.sort();
  return {
    perSecond: Math.round(requests / seconds),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
