import tap, { test } from 'tap';
import { startService } from '../../kit/daemons.ts';
import {
  checkAttempts,
  checkCompleted,
  checkRuns,
  isRunning,
  KILLS,
  moment,
  startFarm,
  TASKS,
  TEST_MS,
} from './survival-farm.ts';

tap.setTimeout(TEST_MS);

await test(
  `no task is lost or run twice when the service is killed ${KILLS} times`,
  { timeout: TEST_MS },
  async (t) => {
    const farm = await startFarm(t);
    let kills = 0;
    while (kills < KILLS && (await isRunning(farm))) {
      await moment();
      await farm.service.daemon.kill();
      kills++;
      farm.service = await startService(farm.service);
    }
    t.equal(kills, KILLS);
    await checkCompleted(t, farm);
    const attempts = await checkAttempts(t, farm);
    t.comment(`${attempts - TASKS} attempts were assigned and lost in transit`);
    checkRuns(t, farm);
  },
);
