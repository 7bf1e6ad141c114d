import tap, { test } from 'tap';
import { rounds } from '../kit/rounds.ts';
import { fullFileServer, licenseOutage, type OutageResult } from './outage-verdicts.ts';

tap.setTimeout(600_000);

/** Share of the seeds in which the verdict must be right (docs/outages.md#measured). */
const RIGHT_SHARE_MIN = 0.95;
const MINUTE_MS = 60_000;
/** The longest hold, and the time until a worker is free for the task that is tried. */
const RESUMED_MS_MAX = 40 * MINUTE_MS;

const seedsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

const isRight = (place: string, result: OutageResult): boolean =>
  result.places.includes(place) &&
  result.consumed <= 0 &&
  result.notCompleted.length === 0 &&
  result.resumedAfterMs <= RESUMED_MS_MAX;

function judge(name: string, place: string, run: (seed: number) => OutageResult): void {
  test(name, (t) => {
    const seeds = seedsOf(rounds(1, 20));
    let right = 0;
    for (const seed of seeds) {
      const result = run(seed);
      if (isRight(place, result)) right++;
      else t.comment(`seed ${seed}: ${JSON.stringify(result)}`);
      t.same(result.blamed, [], `seed ${seed}: no worker is in quarantine`);
    }
    t.ok(right >= RIGHT_SHARE_MIN * seeds.length, `the verdict is right in ${right} of ${seeds.length}`);
    t.end();
  });
}

judge('a license outage', 'usage pool houdini', licenseOutage);
judge('a full file server', 'compute location north', fullFileServer);
