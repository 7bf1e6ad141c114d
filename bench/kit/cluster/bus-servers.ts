import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findServerBinary } from '../../../src/adapters/nats/server-binary.ts';
import { RawNatsClient } from '../raw-nats-client.ts';
import { freePort } from '../service.ts';

/** A nats-server of a bench's cluster. */
export interface BusServer {
  readonly pid: number;
  /** Port of clients. */
  readonly port: number;
  /** Port of the other servers. */
  readonly routePort: number;
}

/** A NATS cluster on this machine. Its servers flush each message before they acknowledge it. */
export interface BusServers {
  readonly servers: readonly BusServer[];
  /** Value of `bus.url`. */
  readonly url: string;
  stop(): Promise<void>;
}

const ANSWER_TRIES = 200;
const STREAM_TRIES = 1_000;
const TRY_MS = 50;

/** Starts `count` servers with their data below a directory. Resolves when each answers a client. */
export async function startBusServers(directory: string, count: number): Promise<BusServers> {
  const { path } = await findServerBinary('');
  const ports: { readonly port: number; readonly routePort: number }[] = [];
  while (ports.length < count) ports.push({ port: await freePort(), routePort: await freePort() });
  const routes = ports.map(({ routePort }) => `nats://127.0.0.1:${routePort}`).join(', ');
  const children: ChildProcess[] = [];
  const servers: BusServer[] = [];
  for (const [at, { port, routePort }] of ports.entries()) {
    const file = join(directory, `bus-${at}.conf`);
    await writeFile(
      file,
      [
        `server_name: bench-${at}`,
        `listen: 127.0.0.1:${port}`,
        `jetstream { store_dir: "${join(directory, `bus-${at}`)}", sync_interval: always }`,
        `cluster { name: bench, listen: 127.0.0.1:${routePort}, routes: [${routes}] }`,
        'max_payload: 8388608',
        'write_deadline: "10s"',
        `log_file: "${join(directory, `bus-${at}.log`)}"`,
      ].join('\n'),
    );
    const child = spawn(path, ['-c', file], { stdio: 'ignore' });
    children.push(child);
    servers.push({ pid: child.pid ?? 0, port, routePort });
  }
  for (const { port } of servers) await untilAnswers(port);
  await untilStreams(servers[0]?.port ?? 0);
  return {
    servers,
    url: servers.map(({ port }) => `nats://127.0.0.1:${port}`).join(','),
    stop: async () => {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null) return;
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}

/** Resolves when the servers have elected a leader for their streams. */
async function untilStreams(port: number): Promise<void> {
  const inbox = '_INBOX.bench-streams';
  const client: RawNatsClient = await RawNatsClient.open('127.0.0.1', port, (_subscription, payload) => {
    hasLeader ||= payload.length > 0 && !payload.includes('"error"');
  });
  let hasLeader = false;
  client.subscribe(inbox, 1);
  for (let tries = 1; !hasLeader; tries++) {
    if (tries === STREAM_TRIES) throw new Error('the NATS cluster has no leader for its streams');
    client.publish('$JS.API.STREAM.NAMES', '', inbox);
    await delay(TRY_MS);
  }
  client.close();
}

async function untilAnswers(port: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      (await RawNatsClient.open('127.0.0.1', port, () => undefined)).close();
      return;
    } catch (error) {
      if (tries === ANSWER_TRIES) throw error;
      await delay(TRY_MS);
    }
  }
}
