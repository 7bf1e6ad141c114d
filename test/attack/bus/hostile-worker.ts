import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { accessOptions } from '../../../src/adapters/nats/access.ts';
import { managedAccess } from '../../../src/adapters/nats/authority/managed-access.ts';
import { configuredServers, type ServerList } from '../../../src/adapters/nats/server-address.ts';
import { parseStoredCredential } from '../../../src/core/bus-identity/stored-credential.ts';
import { jobId } from '../../../src/core/ids.ts';
import { STREAMS } from '../../../src/core/wire/subjects.ts';
import { Daemon, type RunningService } from '../../kit/daemons.ts';
import { until } from '../../kit/until.ts';
import { Random } from '../../sim/random.ts';
import type { AttackReport } from '../attack.ts';
import { hostileMessage, type KnownIds } from './hostile-messages.ts';

/** Messages after which the server has answered. */
const BURST = 200;
const SEED = 24;

interface WorkerState {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpu_count: number;
}

/** A worker that joins with the token. */
const joined = (service: RunningService, name: string, token: string): Daemon =>
  new Daemon(
    [
      'worker',
      `--join=${token}`,
      `--worker-name=${name}`,
      `--worker-dir=${join(service.folder, name)}`,
      '--worker-cpus=1',
      '--worker-allow-root=true',
      '--log-format=text',
    ],
    join(service.folder, `${name}.log`),
  );

/**
 * A hostile program has the valid credential of the worker `eve` and sends `count` messages. Reports what changed for the
 * worker `victim`, its running task and the service.
 */
export async function attackAsWorker(service: RunningService, count: number): Promise<AttackReport> {
  const { api } = service;
  const farm = await api.makeFarm('show');
  const { token } = await api.must<{ token: string }>('POST', '/api/v1/worker-tokens', { uses: 2 });
  const daemons = [joined(service, 'victim', token)];
  try {
    const victim = await online(service, 'victim');
    const job = await farm.submit({
      specificationVersion: 'jobtemplate-2023-09',
      name: 'Endless',
      steps: [
        {
          name: 'S',
          script: {
            actions: { onRun: { command: 'bash', args: ['-c', 'echo mine; while :; do sleep 1; done'] } },
          },
        },
      ],
    });
    const id = job.body.id;
    await until('the task runs', async () => (await api.job(id)).task_counts.running === 1);
    await until('its log has arrived', async () => (await logOf(service, id)).includes('mine'));
    const eve = joined(service, 'eve', token);
    daemons.push(eve);
    const other = await online(service, 'eve');
    await eve.kill('SIGKILL');
    const ids: KnownIds = {
      farm: farm.farmId,
      victim: victim.id,
      victimIncarnation: '01936ad0-0000-7000-8000-000000000001',
      eve: other.id,
      job: jobId(id),
    };
    const before = await stateOf(service, id);
    const tried = await send(credentialOf(service, 'eve'), ids, count);
    await processed(service);
    const after = await stateOf(service, id);
    const violations = Object.entries(before).flatMap(([what, value]) =>
      JSON.stringify(value) === JSON.stringify(after[what])
        ? []
        : [`${what}: ${JSON.stringify(value)} became ${JSON.stringify(after[what])}`],
    );
    await api.must('POST', `/api/v1/jobs/${id}/cancel`);
    await until('the task has ended', async () => (await api.job(id)).task_counts.running === 0);
    return { tried, violations };
  } finally {
    for (const daemon of daemons) await daemon.kill('SIGKILL');
  }
}

const online = ({ api }: RunningService, name: string): Promise<WorkerState> =>
  until(`${name} is online`, async () => {
    const { items } = await api.must<{ items: WorkerState[] }>('GET', '/api/v1/workers');
    return items.find((each) => each.name === name && each.status === 'online') ?? null;
  });

const logOf = async ({ api }: RunningService, job: string): Promise<string> =>
  JSON.stringify(await api.must('GET', `/api/v1/tasks/${job}-0-0/logs`));

/** Everything that the messages must not change. */
async function stateOf(service: RunningService, job: string): Promise<Readonly<Record<string, unknown>>> {
  const { api } = service;
  const { items } = await api.must<{ items: WorkerState[] }>('GET', '/api/v1/workers');
  const attempts = await api.must<{ items: readonly object[] }>('GET', `/api/v1/tasks/${job}-0-0/attempts`);
  const ready = await fetch(`${api.url}/readyz`);
  return {
    workers: items.map(({ name }) => name).sort(),
    victim: items
      .filter(({ name }) => name === 'victim')
      .map(({ id, status, cpu_count: cores }) => ({ id, status, cores })),
    task: (await api.job(job)).task_counts,
    attempts: attempts.items,
    log: await logOf(service, job),
    ready: ready.status,
  };
}

function credentialOf({ folder }: RunningService, name: string): ServerList {
  const parsed = parseStoredCredential(readFileSync(join(folder, name, 'bus-credentials.json'), 'utf8'));
  if (!parsed.ok) throw new Error(parsed.reason);
  const { urls, seed, jwt, ca } = parsed.value;
  return { ...configuredServers(urls, null), identity: { seed, jwt }, ...(ca === null ? {} : { ca }) };
}

const dial = (servers: ServerList): Promise<NatsConnection> =>
  connect({ servers: [...servers.servers], reconnect: false, ...accessOptions(servers) });

/** Sends the messages, and connects again when the server closes the connection. Returns their number. */
async function send(servers: ServerList, ids: KnownIds, count: number): Promise<number> {
  const random = new Random(SEED);
  let nc = await dial(servers);
  for (let sent = 1; sent <= count; sent++) {
    const { subject, reply, payload } = hostileMessage(() => random.next(), ids);
    try {
      if (nc.isClosed()) nc = await dial(servers);
      nc.publish(subject, payload, reply === '' ? {} : { reply });
      if (sent % BURST === 0) await nc.flush();
    } catch (error) {
      // The client itself refuses some subjects, and the server closes the connection for others.
      if (!(error instanceof Error)) throw error;
    }
  }
  if (!nc.isClosed()) await nc.close();
  return count;
}

/** Waits until the service has processed every stored message. */
async function processed({ folder, busPort }: RunningService): Promise<void> {
  const listen = { host: '127.0.0.1', port: busPort };
  const { streams } = await managedAccess(join(folder, 'data', 'bus'), listen, {
    publicUrls: [],
    certificates: null,
  });
  const nc = await dial(streams);
  try {
    const manager = await jetstreamManager(nc);
    for (const stream of [STREAMS.status, STREAMS.presence, STREAMS.logs])
      await until(`${stream.name} is processed`, async () => {
        const consumers = await manager.consumers.list(stream.name).next();
        return (
          consumers.length > 0 && consumers.every((each) => each.num_pending + each.num_ack_pending === 0)
        );
      });
  } finally {
    await nc.close();
  }
}
