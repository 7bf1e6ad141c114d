import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { FarmClient } from '../../kit/api-client.ts';
import { startWorker, type Daemon, type RunningService } from '../../kit/daemons.ts';
import { parseMetrics } from '../../kit/metrics-text.ts';
import { until } from '../../kit/until.ts';
import { online, processed, stateOf } from '../../attack/bus/bus-state.ts';

/** A service with a worker whose task runs for the whole test: what attacks must not change. */
export interface BusFarm {
  readonly service: RunningService;
  readonly isAuthenticated: boolean;
  readonly farm: FarmClient;
  readonly victim: Victim;
  /** Node program that every account can run. */
  readonly node: string;
}

export interface Victim {
  readonly daemon: Daemon;
  readonly id: string;
  readonly job: string;
  readonly task: string;
  readonly attempt: string;
}

/** Returns a template with one task that runs a shell line. */
export const shellJob = (line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Shell',
  steps: [{ name: 'Step', script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } } }],
});

/** Time in messages of attackers. No decision depends on it. */
export const AT = '2026-11-20T10:00:00Z';

/** Proof of many attacks. */
export const REFUSED_BY_SERVER = 'the server refuses every subject by name';

/** Returns the report of an end, as a worker sends it. */
export const succeeded = (attempt_id: string): Readonly<Record<string, unknown>> => ({
  attempt_id,
  status: 'succeeded',
  exit_code: 0,
  timestamp: AT,
  session_id: 's',
});

export const taskOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf('-'));

/** Account of isolated jobs. */
export const ISOLATED_USER = 'nobody'; // wording-ok: name of an account

const ENDLESS = 'echo mine; while :; do sleep 1; done';
/** Name of the worker whose task the attacks are aimed at. */
const VICTIM = 'victim';

/** Starts a worker of the farm `show` that serves these queues. */
export const startFarmWorker = (service: RunningService, name: string, queues: string): Daemon =>
  startWorker(service, name, [
    '--worker-farm=show',
    `--worker-queues=${queues}`,
    '--worker-cpus=1',
    '--worker-session-linger=0s',
  ]);

/** Submits a job to a queue of the farm and returns its id. */
export async function submitTo(farm: FarmClient, queue: string, template: object): Promise<string> {
  const answer = await farm.submit(template, { queue_id: queue });
  if (answer.status !== 201) throw new Error(`the job was refused: ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}

export async function makeQueue(
  { api, farmId }: FarmClient,
  name: string,
  runAsUser?: string,
): Promise<string> {
  const account = runAsUser === undefined ? {} : { run_as_user: runAsUser };
  const body = { farm_id: farmId, name, ...account };
  return (await api.must<{ id: string }>('POST', '/api/v1/queues', body)).id;
}

/** Starts the worker `victim` with an endless task. */
export async function startVictim(service: RunningService, farm: FarmClient): Promise<Victim> {
  const { api } = service;
  const queue = await makeQueue(farm, 'held');
  const daemon = startFarmWorker(service, VICTIM, 'held');
  const [{ id }, job] = await Promise.all([
    online(service, VICTIM),
    submitTo(farm, queue, shellJob(ENDLESS)),
  ]);
  await until('the task of the victim runs', async () => (await api.log(`${job}-0-0`)).includes('mine'));
  return { daemon, id, job, task: `${job}-0-0`, attempt: `${job}-0-0-1` };
}

/** Copies the running Node to a place that every account may read. */
export function copyNode(folder: string): string {
  const path = join(folder, 'node');
  copyFileSync(process.execPath, path);
  chmodSync(path, 0o755);
  return path;
}

/** Runs an attack, waits until the service has processed its messages, and compares what they must not change. */
export async function changesNothing(t: Test, bus: BusFarm, attack: () => Promise<void>): Promise<void> {
  const { service, victim, isAuthenticated } = bus;
  const before = await stateOf(service, VICTIM, victim.job);
  await attack();
  await processed(service, isAuthenticated);
  const after = await stateOf(service, VICTIM, victim.job);
  t.strictSame(after, before, 'the victim, its task, its log and the workers are unchanged');
}

/** Returns how many messages the service has refused for a reason. */
export async function refusedFor({ service }: BusFarm, reason: string): Promise<number> {
  const scrape = parseMetrics(await (await fetch(`${service.api.url}/metrics`)).text());
  return scrape.value(`svc_bus_refused_messages_total{reason="${reason}"}`) ?? 0;
}

/** Waits until the service has refused this many more messages for a reason than `before`. */
export const refusedMore = (bus: BusFarm, reason: string, before: number, more: number): Promise<number> =>
  until(`${more} messages are refused: ${reason}`, async () => {
    const now = await refusedFor(bus, reason);
    return now >= before + more && now;
  });
