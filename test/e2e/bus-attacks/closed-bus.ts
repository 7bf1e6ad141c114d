import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ApiClient, type FarmClient } from '../../kit/api-client.ts';
import { startAuthService } from '../../kit/auth-service.ts';
import { startService, type Daemon, type RunningService } from '../../kit/daemons.ts';
import { ScriptedWorker } from '../../kit/scripted-worker.ts';
import { accessOf, joinWith, tokenFile, type Credential } from '../../kit/worker-access.ts';
import { online } from '../../attack/bus/bus-state.ts';
import {
  copyNode,
  ISOLATED_USER,
  makeQueue,
  startFarmWorker,
  startVictim,
  type BusFarm,
} from './bus-farm.ts';
import { HostileClient } from './hostile-client.ts';

const FLAGS = ['--bus-auth-enabled=true', '--scheduler-heartbeat-timeout=4s'];
const HEARTBEAT_MS = 1000;

/** A service with accounts and with `bus.auth.enabled`. */
export interface ClosedBus extends BusFarm {
  /** The worker `spare` serves these queues, one task at a time. */
  readonly queues: { readonly main: string; readonly isolated: string };
  readonly spare: Daemon;
  readonly otherFarm: FarmClient;
  /** A hostile worker with a valid credential. It is online and requests no work by itself. */
  readonly eve: Eve;
  /** Creates a token. */
  token(input?: object): Promise<NewToken>;
  /** Joins with a new token and returns the credential. */
  credential(name: string, input?: object): Promise<Credential>;
  /** Opens a connection of a hostile program with a credential. It is closed at the end of the test. */
  dial(worker: ScriptedWorker): HostileClient;
  /** Ends the service and its nats-server, calls `meanwhile`, and starts them again. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
}

export interface NewToken {
  readonly id: string;
  readonly token: string;
}

interface Eve {
  readonly credential: Credential;
  readonly worker: ScriptedWorker;
  readonly client: HostileClient;
  /** Queue whose tasks only Eve serves. */
  readonly queue: string;
  /** The attempts that she has leased: her heartbeats name them. */
  readonly open: Set<string>;
}

/** Starts the service, the workers `victim` and `spare`, and Eve. Everything ends with the test. */
export async function startClosedBus(
  t: Test,
  ports: { readonly httpPort: number; readonly busPort: number },
): Promise<ClosedBus> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-closed-bus-'));
  await chmod(folder, 0o711);
  const auth = await startAuthService(folder, { ...ports, flags: FLAGS });
  const api = new ApiClient(auth.url, auth.admin);
  let service: RunningService = { ...auth.service, api };
  const daemons: Daemon[] = [];
  const workers: ScriptedWorker[] = [];
  t.teardown(async () => {
    await Promise.all(workers.map((each) => each.close()));
    await Promise.all(daemons.map((each) => each.kill()));
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${victim.daemon.log().slice(-6000)}${service.daemon.log().slice(-6000)}`);
  });
  const token = (input: object = {}): Promise<NewToken> =>
    api.must<NewToken>('POST', '/api/v1/worker-tokens', input);
  writeFileSync(tokenFile(folder), (await token({ uses: 100 })).token, { mode: 0o600 });
  const farm = await api.makeFarm('show');
  const otherFarm = await api.makeFarm('other');
  const isolated = await makeQueue(farm, 'isolated', ISOLATED_USER);
  const spare = startFarmWorker(service, 'spare', 'main,isolated');
  daemons.push(spare);
  const victim = await startVictim(service, farm);
  daemons.push(victim.daemon);
  const eve = await startEve(service, farm, (await token()).token);
  workers.push(eve.worker);
  // A heartbeat gets no reply while the service restarts. The next one does.
  const beat = setInterval(
    () => void eve.worker.heartbeat([...eve.open]).catch(() => undefined),
    HEARTBEAT_MS,
  );
  t.teardown(() => clearInterval(beat));
  await online(service, 'spare');
  return {
    get service() {
      return service;
    },
    isAuthenticated: true,
    farm,
    otherFarm,
    victim,
    spare,
    eve,
    queues: { main: farm.queueId, isolated },
    node: copyNode(folder),
    token,
    credential: async (name, input = {}) => joinWith((await token(input)).token, name, 'show'),
    dial: (worker) => {
      workers.push(worker);
      return new HostileClient(worker.nc);
    },
    restart: async (meanwhile) => {
      await service.daemon.kill('SIGTERM');
      await meanwhile();
      service = { ...(await startService(auth.service)), api };
    },
  };
}

async function startEve(service: RunningService, farm: FarmClient, token: string): Promise<Eve> {
  const queue = await makeQueue(farm, 'eve');
  const credential = await joinWith(token, 'eve', 'show');
  const worker = await ScriptedWorker.act(accessOf(credential), service.busPort, 'eve', 4);
  worker.farmId = farm.farmId;
  await worker.register('show');
  return { credential, worker, client: new HostileClient(worker.nc), queue, open: new Set() };
}
