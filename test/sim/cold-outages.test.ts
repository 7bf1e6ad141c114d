import tap, { test } from 'tap';
import { rounds } from '../kit/rounds.ts';
import { playColdOutage } from './cold-outages.ts';

tap.setTimeout(600_000);

test('a service that is restarted again and again decides about outages like one that is not', (t) => {
  const seeds = Array.from({ length: rounds(4, 40) }, (_, at) => at + 1);
  let held = 0;
  for (const seed of seeds) {
    const warm = playColdOutage(seed, false);
    const cold = playColdOutage(seed, true);
    if (warm.heldPlaces.length > 0) held++;
    t.same(cold.starts, warm.starts, `seed ${seed}: the same attempts start`);
    t.same(cold.rows, warm.rows, `seed ${seed}: they have the same consequences`);
  }
  t.ok(held > seeds.length / 2, `in ${held} of ${seeds.length} runs there was an outage`);
  t.end();
});
