import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { accessOptions } from '../../../src/adapters/nats/access.ts';
import { configuredServers, type ServerList } from '../../../src/adapters/nats/server-address.ts';
import { parseStoredCredential } from '../../../src/core/bus-identity/stored-credential.ts';
import { jobId } from '../../../src/core/ids.ts';
import { REFUSAL_REASONS } from '../../../src/core/wire/sender-check.ts';
import { Daemon, type RunningService } from '../../kit/daemons.ts';
import { parseMetrics } from '../../kit/metrics-text.ts';
import { until } from '../../kit/until.ts';
import { Random } from '../../sim/random.ts';
import type { AttackResult } from '../attack.ts';
import { incarnationOf, online, processed, stateOf } from './bus-state.ts';
import { hostileMessage, type KnownIds } from './hostile-messages.ts';

/** Messages after which the server has answered. */
const BURST = 200;
const SEED = 24;

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
export async function attackAsWorker(service: RunningService, count: number): Promise<AttackResult> {
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
    await until('its log has arrived', async () => (await api.log(`${id}-0-0`)).includes('mine'));
    const eve = joined(service, 'eve', token);
    daemons.push(eve);
    const other = await online(service, 'eve');
    await eve.kill('SIGKILL');
    const ids: KnownIds = {
      farm: farm.farmId,
      victim: victim.id,
      victimIncarnation: await incarnationOf(service, victim.id),
      eve: other.id,
      job: jobId(id),
    };
    const before = await stateOf(service, 'victim', id);
    const { sent, connections } = await sendHostile(credentialOf(service, 'eve'), ids, count);
    await processed(service);
    const after = await stateOf(service, 'victim', id);
    const refused = await refusedMessages(service);
    const violations = Object.entries(before).flatMap(([what, value]) =>
      JSON.stringify(value) === JSON.stringify(after[what])
        ? []
        : [`${what}: ${JSON.stringify(value)} became ${JSON.stringify(after[what])}`],
    );
    await api.must('POST', `/api/v1/jobs/${id}/cancel`);
    await until('the task has ended', async () => (await api.job(id)).task_counts.running === 0);
    if (refused === 0) violations.push('the service has refused no message: it has not seen them');
    const figures = { 'connections of the worker': connections, 'refused by the service': refused };
    return { tried: sent, violations, figures };
  } finally {
    for (const daemon of daemons) await daemon.kill('SIGKILL');
  }
}

function credentialOf({ folder }: RunningService, name: string): ServerList {
  const parsed = parseStoredCredential(readFileSync(join(folder, name, 'bus-credentials.json'), 'utf8'));
  if (!parsed.ok) throw new Error(parsed.reason);
  const { urls, seed, jwt, ca } = parsed.value;
  return { ...configuredServers(urls, null), identity: { seed, jwt }, ...(ca === null ? {} : { ca }) };
}

const dial = (servers: ServerList): Promise<NatsConnection> =>
  connect({ servers: [...servers.servers], reconnect: false, ...accessOptions(servers) });

/** Returns how many messages the service has refused because of their sender. */
async function refusedMessages({ api }: RunningService): Promise<number> {
  const scrape = parseMetrics(await (await fetch(`${api.url}/metrics`)).text());
  const counts = REFUSAL_REASONS.map(
    (reason) => scrape.value(`svc_bus_refused_messages_total{reason="${reason}"}`) ?? 0,
  );
  return counts.reduce((sum, each) => sum + each, 0);
}

/** Sends the messages, and connects again when the server closes the connection. */
export async function sendHostile(
  servers: ServerList,
  ids: KnownIds,
  count: number,
): Promise<{ readonly sent: number; readonly connections: number }> {
  const random = new Random(SEED);
  let nc = await dial(servers);
  let connections = 1;
  for (let sent = 1; sent <= count; sent++) {
    const { subject, reply, payload } = hostileMessage(() => random.next(), ids);
    try {
      if (nc.isClosed()) {
        nc = await dial(servers);
        connections += 1;
      }
      nc.publish(subject, payload, reply === '' ? {} : { reply });
      if (sent % BURST === 0) await nc.flush();
    } catch (error) {
      // The client itself refuses some subjects, and the server closes the connection for others.
      if (!(error instanceof Error)) throw error;
    }
  }
  if (!nc.isClosed()) await nc.close();
  return { sent: count, connections };
}
