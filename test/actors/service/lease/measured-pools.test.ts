import { test } from 'tap';
import type { Measurement } from '../../../../src/core/pools/measured-slots.ts';
import { CATALOG_ID, type CatalogMessage } from '../../../../actors/service/catalog/messages.ts';
import { TestFarm } from '../../../kit/test-farm.ts';

const AGE = 300_000;

const toCatalog = (fixture: TestFarm, message: CatalogMessage): void => {
  fixture.post({ actor: 'catalog', id: CATALOG_ID, message });
  fixture.run();
};

/** Reports a measured value, as the main thread does. */
function measure(fixture: TestFarm, slots: number, ageMs = AGE): void {
  const result: Measurement = { ok: true, slots, at: fixture.now, until: fixture.now + ageMs };
  toCatalog(fixture, { type: 'pool.measured', pool: 'nuke', result });
}

const leases = (fixture: TestFarm): readonly string[] =>
  fixture.takeOutputs().filter((line) => line.startsWith('lease'));

function startFarm(slots: number): TestFarm {
  const fixture = new TestFarm();
  fixture.createPool('Nuke', { maxConcurrent: slots });
  fixture.register('w1', { cpu_count: 8 });
  fixture.submit('A', [{ name: 's', tasks: 9, needs: { cores: 1, pools: ['nuke'] } }]);
  fixture.takeOutputs();
  return fixture;
}

test('a measured value limits the slots, and a larger one serves the waiting request', (t) => {
  const fixture = startFarm(5);
  measure(fixture, 2);
  t.match(fixture.pool('Nuke'), {
    maxConcurrent: 5,
    measured: { slots: 2, at: fixture.now, until: fixture.now + AGE },
  });
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1, A/0/1#1']);
  t.match(fixture.explain('A/0/2').pools, [
    { name: 'nuke', maxConcurrent: 2, inUse: 2, measured: { maxConcurrent: 5, at: fixture.now } },
  ]);
  fixture.lease('w1');
  t.strictSame(leases(fixture), []);
  measure(fixture, 3);
  t.strictSame(leases(fixture), ['lease w1: A/0/2#1']);
  measure(fixture, 50);
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/3#1, A/0/4#1'], 'never more than configured');
  t.equal(fixture.explain('A/0/5').pools[0]?.measured, undefined);
  fixture.expectInvariants(t, 'measured');
  t.end();
});

test('a value below what is held takes nothing back', (t) => {
  const fixture = startFarm(3);
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1, A/0/1#1, A/0/2#1']);
  measure(fixture, 1);
  t.strictSame(fixture.takeOutputs(), [], 'no task is stopped');
  fixture.lease('w1');
  for (const task of ['A/0/0', 'A/0/1']) fixture.report(task, 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), [], 'the slots that are free belong to others');
  fixture.report('A/0/2', 'succeeded', { exitCode: 0 });
  t.strictSame(leases(fixture), ['lease w1: A/0/3#1']);
  t.end();
});

test('a value that is too old serves the waiting request with the configured slots', (t) => {
  const fixture = startFarm(2);
  measure(fixture, 1, 20_000);
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1']);
  fixture.lease('w1');
  fixture.advance(19_999);
  t.strictSame(leases(fixture), []);
  fixture.advance(1);
  t.strictSame(leases(fixture), ['lease w1: A/0/1#1']);
  t.end();
});

test('an actor that is loaded again has the measured slots', (t) => {
  const fixture = startFarm(4);
  measure(fixture, 1);
  fixture.restart();
  fixture.heartbeat('w1', { open: [] });
  fixture.takeOutputs();
  fixture.lease('w1');
  t.strictSame(leases(fixture), ['lease w1: A/0/0#1']);
  t.end();
});

test('failures are stored, and a pool without its source forgets them', (t) => {
  const fixture = startFarm(4);
  measure(fixture, 1);
  const at = fixture.now;
  const fails = (reason: string): void =>
    toCatalog(fixture, {
      type: 'pool.measured',
      pool: 'nuke',
      result: { ok: false, at: fixture.now, reason },
    });
  fails('no answer');
  fixture.advance(10);
  fails('no answer');
  t.match(fixture.pool('Nuke'), {
    measured: { slots: 1 },
    measureFailure: { since: at, reason: 'no answer' },
  });
  toCatalog(fixture, { type: 'pool.measured', pool: 'no-pool', result: { ok: false, at, reason: 'x' } });
  toCatalog(fixture, { type: 'pool.sources', pools: ['nuke'] });
  t.equal(fixture.pool('Nuke').measured?.slots, 1, 'it still has a source');
  fixture.replacePool('Nuke', { name: 'NUKE', maxConcurrent: 4 });
  t.equal(fixture.pool('NUKE').measured?.slots, 1, 'the same name');
  toCatalog(fixture, { type: 'pool.sources', pools: ['maya'] });
  const { measured, measureFailure } = fixture.pool('NUKE');
  t.strictSame([measured, measureFailure], [undefined, undefined]);
  measure(fixture, 1);
  fixture.replacePool('NUKE', { name: 'other', maxConcurrent: 4 });
  t.equal(fixture.pool('other').measured, undefined, 'the source is that of the old name');
  t.end();
});
