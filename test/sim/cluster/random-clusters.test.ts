import tap, { test } from 'tap';
import { rounds } from '../../kit/rounds.ts';
import { simulateCluster } from './cluster-simulation.ts';
import { SOUND_LOG, type LogRules } from './log-model.ts';

tap.setTimeout(600_000);

const SEEDS = rounds(60, 1000);
/** Every n-th seed runs twice. */
const SEEDS_PER_REPEAT = 20;
const SEEDS_TO_KILL = 100;

test('random clusters keep every invariant and are reproducible', (t) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const result = simulateCluster(seed);
    t.equal(result.violation?.message, undefined, `npm run simulate -- --cluster --seed ${seed} --trace`);
    if (seed % SEEDS_PER_REPEAT === 0)
      t.equal(simulateCluster(seed).digest, result.digest, `seed ${seed} runs twice`);
  }
  t.end();
});

/** Rules of the log that the design depends on: without one of them, decisions are lost or made twice. */
const BROKEN_LOGS: Readonly<Record<string, Partial<LogRules>>> = {
  'accepts appends at any position': { checksPosition: false },
  'acknowledges before a flush': { flushesAlways: false },
  'acknowledges without a quorum': { quorum: 1 },
};

for (const [name, rules] of Object.entries(BROKEN_LOGS)) {
  test(`the simulation finds a log that ${name}`, (t) => {
    let seed = 1;
    const isSound = (): boolean =>
      simulateCluster(seed, { rules: { ...SOUND_LOG, ...rules } }).violation === null;
    while (seed <= SEEDS_TO_KILL && isSound()) seed++;
    t.ok(seed <= SEEDS_TO_KILL, `an invariant fails with seed ${seed}`);
    t.end();
  });
}
