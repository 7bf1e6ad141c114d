import tap, { test } from 'tap';
import { rounds } from '../kit/rounds.ts';
import {
  oneBadNode,
  oneBadScene,
  rowsOfBadNode,
  sharedOutage,
  type VerdictResult,
} from './verdict-scenarios.ts';

tap.setTimeout(600_000);

/** Share of the seeds with the right verdict (docs/quarantine.md#measured). */
const RIGHT_SHARE_MIN = 0.95;

const seedsOf = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

/**
 * Runs a scenario with many seeds. In none, a good node may be put in quarantine. The verdict is right if no more attempts
 * than `wastedMax` are wasted.
 */
function judge(name: string, run: (seed: number) => VerdictResult, wastedMax: number): void {
  test(name, (t) => {
    const seeds = seedsOf(rounds(1, 20));
    let right = 0;
    for (const seed of seeds) {
      const { isRight, wasted, goodInQuarantine } = run(seed);
      if (isRight && wasted <= wastedMax) right++;
      else t.comment(`seed ${seed}: ${wasted} attempts are wasted`);
      t.same(goodInQuarantine, [], `seed ${seed}: no good node is in quarantine`);
    }
    t.ok(right >= RIGHT_SHARE_MIN * seeds.length, `the verdict is right in ${right} of ${seeds.length}`);
    t.end();
  });
}

judge('one bad node of 200', oneBadNode, 3);
judge('one bad scene, with canary tasks', oneBadScene, 10);
judge('an outage that all nodes share', sharedOutage, Infinity);

test('a service that is restarted again and again decides like one that is not', (t) => {
  for (const seed of seedsOf(rounds(1, 5))) {
    const warm = rowsOfBadNode(seed, false);
    t.ok(
      warm.some((row) => row.startsWith('workerEvidence')),
      'there is evidence',
    );
    t.same(rowsOfBadNode(seed, true), warm, `seed ${seed}`);
  }
  t.end();
});
