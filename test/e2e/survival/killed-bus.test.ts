import tap, { test } from 'tap';
import { rounds } from '../../kit/rounds.ts';
import { until } from '../../kit/until.ts';
import { busPid } from './bus-process.ts';
import {
  checkAttempts,
  checkCompleted,
  checkRuns,
  isRunning,
  moment,
  startFarm,
  TEST_MS,
} from './survival-farm.ts';

tap.setTimeout(TEST_MS);

/** The service restarts its bus with an increasing delay. */
const KILLS = rounds(4, 20);

await test(
  `no task is lost or run twice when nats-server is killed ${KILLS} times`,
  { timeout: TEST_MS },
  async (t) => {
    const farm = await startFarm(t);
    const serverPid = (): number | null => busPid(farm);
    let kills = 0;
    let last = 0;
    while (kills < KILLS && (await isRunning(farm))) {
      await moment();
      const pid = await until('nats-server runs again', () => {
        const found = serverPid();
        return found !== null && found !== last ? found : null;
      });
      process.kill(pid, 'SIGKILL');
      last = pid;
      kills++;
      await until('the service is ready again', async () => {
        const { status } = await farm.service.api.call('GET', '/readyz');
        return serverPid() !== last && status === 200;
      });
    }
    t.equal(kills, KILLS);
    await checkCompleted(t, farm);
    await checkAttempts(t, farm);
    checkRuns(t, farm);
  },
);
