import { test } from 'tap';
import { missingSteps, submitCommand, workerCommand } from '../../../web/pages/overview/first-start-model.ts';

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
  t.equal(workerCommand('farm.local', '14222', null), 'callsheet worker --bus-url=nats://farm.local:14222');
  t.equal(
    workerCommand('farm.local', '14222', "Bob's farm"),
    `callsheet worker --bus-url=nats://farm.local:14222 --worker-farm='Bob'\\''s farm'`,
  );
  t.equal(
    submitCommand('http://farm:8080', 'main', '$(rm -rf .)'),
    "callsheet submit template.yaml --farm main --queue '$(rm -rf .)' --url http://farm:8080 --watch",
  );
  t.end();
});
