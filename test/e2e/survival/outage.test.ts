import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import tap, { test } from 'tap';
import { until } from '../../kit/until.ts';
import { busPid } from './bus-process.ts';
import {
  checkNothingLost,
  countInLogs,
  HEARTBEAT_TIMEOUT_MS,
  startAgain,
  startOutageFarm,
  TASKS,
  TEST_MS,
  type OutageFarm,
} from './outage-farm.ts';

tap.setTimeout(TEST_MS);

/** The ratio of ten minutes to the default heartbeat timeout. */
const LONG_OUTAGE_MS = 20 * HEARTBEAT_TIMEOUT_MS;
/** An outage of service and bus, or a stall: as long as 40 s are for the default heartbeat timeout, and longer. */
const SHORT_OUTAGE_MS = 3 * HEARTBEAT_TIMEOUT_MS;
const RECLAIM_AFTER = '--scheduler-reclaim-after=60s';

/** Number of recorded starts and ends of tasks. */
const endsIn = ({ record }: OutageFarm): number =>
  readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('stop')).length;

await test('tasks continue and end while the service is dead for 20 heartbeat timeouts', async (t) => {
  const farm = await startOutageFarm(t, { taskMs: LONG_OUTAGE_MS });
  await farm.service.daemon.kill();
  const bus = busPid(farm);
  t.not(bus, null, 'the bus survives the service');
  await until(
    'every worker has detected the absence of the service',
    () => countInLogs(farm, 'no service is connected') === 2,
  );
  // The tasks end after the whole outage, without a service.
  await until('every task has ended', () => endsIn(farm) === TASKS, TEST_MS);
  await startAgain(farm);
  t.equal(busPid(farm), bus, 'the new service adopts the bus');
  await checkNothingLost(t, farm);
});

await test('an upgrade leaves the bus running, and tasks continue', async (t) => {
  const farm = await startOutageFarm(t, { taskMs: 4 * SHORT_OUTAGE_MS });
  const bus = busPid(farm);
  await farm.service.daemon.kill('SIGTERM');
  t.match(await farm.service.daemon.ended, { code: 0 });
  t.equal(busPid(farm), bus, 'the bus continues');
  await until(
    'every worker has detected the absence of the service',
    () => countInLogs(farm, 'no service is connected') === 2,
  );
  await delay(SHORT_OUTAGE_MS);
  await startAgain(farm);
  t.equal(busPid(farm), bus, 'the new service adopts the bus');
  await checkNothingLost(t, farm);
});

await test('tasks continue while service and bus are dead, within reclaim_after', async (t) => {
  const farm = await startOutageFarm(t, { taskMs: 4 * SHORT_OUTAGE_MS, flags: [RECLAIM_AFTER] });
  const bus = busPid(farm);
  await farm.service.daemon.kill();
  if (bus !== null) process.kill(bus, 'SIGKILL');
  await until('the bus is dead', () => busPid(farm) === null);
  await delay(SHORT_OUTAGE_MS);
  await startAgain(farm);
  await checkNothingLost(t, farm);
});

await test('tasks continue while the bus is dead, within reclaim_after', async (t) => {
  const farm = await startOutageFarm(t, { taskMs: 4 * SHORT_OUTAGE_MS, flags: [RECLAIM_AFTER] });
  const endsAt = performance.now() + SHORT_OUTAGE_MS;
  // The service restarts the bus with an increasing delay, so it is killed again until the outage has lasted.
  let kills = 0;
  while (performance.now() < endsAt) {
    const bus = busPid(farm);
    if (bus !== null) {
      process.kill(bus, 'SIGKILL');
      kills++;
      await until('the bus is dead', () => busPid(farm) !== bus);
    }
    await delay(50);
  }
  t.ok(kills > 0);
  await checkNothingLost(t, farm);
});

await test('tasks continue while the service is paused, within reclaim_after', async (t) => {
  const farm = await startOutageFarm(t, { taskMs: 4 * SHORT_OUTAGE_MS, flags: [RECLAIM_AFTER] });
  farm.service.daemon.child.kill('SIGSTOP');
  await delay(SHORT_OUTAGE_MS);
  farm.service.daemon.child.kill('SIGCONT');
  await checkNothingLost(t, farm);
});

await test('a service that stops its bus stops the tasks of its workers after two thirds of reclaim_after', async (t) => {
  const farm = await startOutageFarm(t, { taskMs: 2 * SHORT_OUTAGE_MS, flags: ['--stop-bus'] });
  await farm.service.daemon.kill('SIGTERM');
  t.equal(busPid(farm), null, 'the bus is stopped');
  await until(
    'both workers stop their tasks',
    () => countInLogs(farm, 'the tasks of this worker are stopped') === 2,
  );
  await startAgain(farm);
  const { api } = farm.service;
  const message = 'the worker stopped the task because it had no contact with the service';
  await until('the attempts are closed with the true reason', async () => {
    const tasks = await api.tasks(farm.jobId);
    const first = await Promise.all(tasks.map(async ({ id }) => (await api.attempts(id))[0]));
    return first.every((attempt) => attempt?.message === message);
  });
  t.equal((await api.job(farm.jobId)).failed_attempts, 0, 'no attempt is consumed');
});
