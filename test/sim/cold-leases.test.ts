import tap, { test } from 'tap';
import { rounds } from '../kit/rounds.ts';
import { playColdLeases } from './cold-leases.ts';

tap.setTimeout(600_000);

test('a service that is restarted again and again leases like one that is not', (t) => {
  const seeds = Array.from({ length: rounds(4, 40) }, (_, at) => at + 1);
  let reserving = 0;
  for (const seed of seeds) {
    const warm = playColdLeases(seed, false);
    const cold = playColdLeases(seed, true);
    if (warm.reservations > 0) reserving++;
    t.equal(cold.reservations, warm.reservations, `seed ${seed}: as many reservations`);
    t.equal(cold.preemptions, warm.preemptions, `seed ${seed}: tasks are taken back as often`);
    t.same(cold.starts, warm.starts, `seed ${seed}: the same attempts start`);
    t.same(cold.rows, warm.rows, `seed ${seed}: they have the same consequences`);
  }
  t.ok(reserving > seeds.length / 2, `in ${reserving} of ${seeds.length} runs workers were reserved`);
  t.end();
});
