import { test } from 'tap';
import { workerId } from '../../../../src/core/ids.ts';
import { keys } from '../../../../src/core/records/tables.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const HOUR_MS = 3_600_000;
const LIMITS = { perFarm: 3, retentionMs: 24 * HOUR_MS };

const exists = (fixture: TestFarm, name: string): boolean =>
  fixture.store.get('worker', keys.worker(workerId(`id-of-${name}`))) !== undefined;

test('an offline worker that never had a task is removed after the retention, with its ordinal', (t) => {
  const fixture = new TestFarm({ workers: LIMITS });
  fixture.register('unused');
  fixture.register('used');
  fixture.register('online');
  fixture.submit('A', [{ name: 's', tasks: 1 }]);
  fixture.lease('used');
  fixture.report('A/0/0', 'running');
  fixture.report('A/0/0', 'succeeded');
  fixture.deregister('used');
  fixture.deregister('unused');
  fixture.takeOutputs();
  fixture.advance(LIMITS.retentionMs - 1);
  t.ok(exists(fixture, 'unused'), 'not before its time');
  fixture.takeOutputs();
  fixture.advance(1);
  t.match(fixture.takeOutputs(), ['worker unused removed']);
  t.notOk(exists(fixture, 'unused'));
  t.equal(fixture.store.get('workerOrdinal', keys.workerOrdinal(fixture.farm, 1)), undefined);
  fixture.advance(10 * LIMITS.retentionMs);
  t.ok(exists(fixture, 'used'), 'rows of tasks name it');
  t.ok(exists(fixture, 'online'));
  fixture.register('unused');
  t.ok(exists(fixture, 'unused'), 'it registers again as a new worker');
  t.end();
});

test('the retention continues across restarts of the service, and ends with a registration', (t) => {
  const fixture = new TestFarm({ workers: LIMITS });
  fixture.register('w1');
  fixture.register('w2');
  fixture.deregister('w1');
  fixture.deregister('w2');
  fixture.advance(LIMITS.retentionMs / 2);
  fixture.register('w2', { incarnation: 'start-2' });
  fixture.deregister('w2');
  fixture.restart(LIMITS.retentionMs / 2);
  fixture.advance(1);
  t.notOk(exists(fixture, 'w1'));
  t.ok(exists(fixture, 'w2'));
  fixture.restartWith({ workers: { ...LIMITS, retentionMs: 0 } });
  fixture.advance(LIMITS.retentionMs);
  t.ok(exists(fixture, 'w2'), '0 keeps unused workers');
  t.end();
});

test('a silent worker is removed after the retention, a disabled one is kept', (t) => {
  const fixture = new TestFarm({ workers: LIMITS });
  fixture.register('silent');
  fixture.register('disabled');
  fixture.disableWorker('disabled');
  fixture.beating.clear();
  fixture.advance(LIMITS.retentionMs + HOUR_MS);
  t.notOk(exists(fixture, 'silent'));
  t.ok(exists(fixture, 'disabled'));
  fixture.enableWorker('disabled');
  fixture.advance(1);
  t.notOk(exists(fixture, 'disabled'), 'enabled, it is offline, and its time has passed');
  t.end();
});

test('a registration beyond the maximum number of workers is refused and logged', (t) => {
  const fixture = new TestFarm({ workers: LIMITS });
  for (const name of ['w1', 'w2', 'w3']) fixture.register(name);
  fixture.takeOutputs();
  fixture.register('w4');
  t.match(fixture.answer('register w4'), {
    type: 'refused',
    reason:
      'the farm has 3 workers, and scheduler.max_workers_per_farm allows 3; delete workers that no longer exist, or raise that setting of the service',
  });
  t.match(fixture.takeWarnings(), ['refused a worker: the farm has the maximum number of workers']);
  t.notOk(exists(fixture, 'w4'));
  fixture.register('w3', { incarnation: 'start-2' });
  t.match(fixture.answer('register w3'), { type: 'registered' }, 'a known worker may register again');
  fixture.deregister('w1');
  fixture.deleteWorker('w1');
  fixture.register('w4');
  t.match(fixture.answer('register w4'), { type: 'registered' });
  t.end();
});

test('a registration with too many characters is refused', (t) => {
  const fixture = new TestFarm();
  const tags = (length: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 16 }, (_, each) => [`t${each.toString(16)}`, 'x'.repeat(length)]),
    );
  fixture.register('w1', { tags: tags(1000) });
  t.match(fixture.answer('register w1'), { type: 'registered' });
  fixture.takeWarnings();
  fixture.register('w2', { tags: tags(1024) });
  t.strictSame(fixture.takeWarnings(), ['refused a worker: its registration is too long']);
  t.match(fixture.answer('register w2'), {
    type: 'refused',
    reason: /^its names, queues, tags and GPU models have 164[0-9]{2} characters; the limit is 16384$/,
  });
  t.notOk(exists(fixture, 'w2'));
  t.end();
});

test('names stay unique when workers change their names and are deleted', (t) => {
  const fixture = new TestFarm();
  fixture.register('w1');
  fixture.register('w2');
  const as = (id: string, incarnation: string): object => ({
    worker_id: workerId(`id-of-${id}`),
    incarnation,
  });
  fixture.register('renamed', as('w1', 'start-2'));
  t.match(fixture.answer('register renamed'), { type: 'registered', worker_id: 'id-of-w1' });
  fixture.register('w1', as('w3', 'start-1'));
  t.match(
    fixture.answer('register w1'),
    { type: 'registered', worker_id: 'id-of-w3' },
    'the earlier name is free',
  );
  fixture.register('w2', as('w4', 'start-1'));
  t.match(fixture.answer('register w2'), { type: 'refused', reason: /named "w2" that is online$/ });
  t.end();
});
