import { parentPort, workerData } from 'node:worker_threads';
import type { FloodOptions } from './log-flood.ts';
import { RawNatsClient } from './raw-nats-client.ts';

/** Thread of a flood. */
const PERIOD_MS = 10;
const { busPort, seed, messages, bytes, bytesPerSecond } = workerData as FloodOptions;
const client = await RawNatsClient.open('127.0.0.1', busPort, () => undefined, seed);
const data = 'all work and no play makes a log long. '.repeat(Math.ceil(bytes / 39)).slice(0, bytes);
const startedAt = performance.now();
let published = 0;

const timer = setInterval(() => {
  const due = ((performance.now() - startedAt) / 1000) * bytesPerSecond;
  while (published * bytes < due) {
    const message = messages[published % messages.length];
    const sequence = Math.floor(published / messages.length) + 1;
    published++;
    if (message === undefined) continue;
    const { subject, head, tail } = message;
    client.publish(subject, `${head.replace('{n}', String(sequence))}${data}${tail}`);
  }
}, PERIOD_MS);

parentPort?.once('message', () => {
  clearInterval(timer);
  client.close();
  parentPort?.postMessage(published * bytes);
});
