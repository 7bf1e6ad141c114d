import { test } from 'tap';
import {
  busUrlOf,
  missingSteps,
  submitCommand,
  workerCommand,
} from '../../../web/pages/overview/first-start-model.ts';

test('missing setup steps are listed in their order', (t) => {
  t.strictSame(missingSteps({ farms: 0, queues: 0, workers: 0, jobs: 0 }), [
    'farm',
    'queue',
    'worker',
    'job',
  ]);
  t.strictSame(missingSteps({ farms: 1, queues: 0, workers: 2, jobs: 0 }), ['queue', 'job']);
  t.strictSame(missingSteps({ farms: 1, queues: 1, workers: 1, jobs: 1 }), []);
  t.end();
});

test('commands quote names for a shell', (t) => {
  t.equal(workerCommand('nats://farm:4222', null), 'callsheet worker --bus-url=nats://farm:4222');
  t.equal(workerCommand(null, null), 'callsheet worker --bus-url=BUS_URL');
  t.equal(
    workerCommand('nats://farm.local:14222', "Bob's farm"),
    `callsheet worker --bus-url=nats://farm.local:14222 --worker-farm='Bob'\\''s farm'`,
  );
  t.equal(
    submitCommand('http://farm:8080', 'main', '$(rm -rf .)'),
    "callsheet submit template.yaml --farm main --queue '$(rm -rf .)' --url http://farm:8080 --watch",
  );
  t.end();
});

test('the address of the bus is the one that the server uses', (t) => {
  const of = (urls: readonly string[], port?: number): string | null =>
    busUrlOf({ urls, is_local: false, ...(port !== undefined && { port }) }, 'farm.local');
  t.equal(of(['nats://127.0.0.1:4333'], 4333), 'nats://127.0.0.1:4333');
  t.equal(of(['tls://a:4222', 'tls://b:4222']), 'tls://a:4222,tls://b:4222');
  t.equal(of([], 4333), 'nats://farm.local:4333', 'the bus listens on every address of the host');
  t.equal(of([]), null, 'addresses with credentials');
  t.end();
});
