import { ScriptedWorker } from '../../kit/scripted-worker.ts';
import { until } from '../../kit/until.ts';
import { accessOf } from '../../kit/worker-access.ts';
import { shellJob, submitTo, succeeded, taskOf } from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';

/** Eve is a hostile worker with a valid credential. Attempts that she has leased are hers. */
export const ATTACKER = 'worker with a valid credential';

/** Leases a task for Eve, reports that it runs, and returns its attempt. */
export async function leaseForEve({ farm, eve }: ClosedBus): Promise<string> {
  await submitTo(farm, eve.queue, shellJob('true'));
  const { assignments } = await eve.worker.lease();
  const [attempt = ''] = assignments.map(({ attempt_id }) => attempt_id);
  eve.open.add(attempt);
  return attempt;
}

/** Reports the end of Eve's own attempt as the last message of an attack, and waits for its effect. */
export async function endOfEve({ service, eve }: ClosedBus, attempt: string): Promise<void> {
  await eve.worker.report(attempt.slice(0, 36), succeeded(attempt));
  await until('the last message has its effect', async () =>
    (await service.api.attempts(taskOf(attempt))).some(({ status }) => status === 'succeeded'),
  );
  eve.open.delete(attempt);
}

/** Returns a worker with a credential for a new token, which has not registered. It is closed with the test. */
export async function joinedWorker(bus: ClosedBus, name: string, input: object): Promise<ScriptedWorker> {
  const credential = await bus.credential(name, input);
  const worker = await ScriptedWorker.act(accessOf(credential), bus.service.busPort, name, 1);
  worker.farmId = bus.farm.farmId;
  bus.dial(worker);
  return worker;
}
