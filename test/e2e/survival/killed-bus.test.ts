import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { until } from '../../kit/until.ts';
import {
  checkAttempts,
  checkCompleted,
  checkRuns,
  isRunning,
  KILLS,
  moment,
  startFarm,
  TEST_MS,
} from './survival-farm.ts';

tap.setTimeout(TEST_MS);

await test(
  'no task is lost or run twice when nats-server is killed 20 times',
  { timeout: TEST_MS },
  async (t) => {
    const farm = await startFarm(t);
    const config = join(farm.folder, 'data', 'bus');
    const serverPid = (): number | null => {
      try {
        return Number(
          execFileSync('pgrep', ['-f', `nats-server.*${config}`], { encoding: 'utf8' }).split('\n')[0],
        );
      } catch {
        return null;
      }
    };
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
