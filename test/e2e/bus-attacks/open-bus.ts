import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startService, type Daemon } from '../../kit/daemons.ts';
import { openAccess } from '../../kit/worker-access.ts';
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

/** A service without `bus.auth.enabled`. */
export interface OpenBus extends BusFarm {
  /** The worker `spare` serves these queues, one task at a time. */
  readonly queues: { readonly main: string; readonly isolated: string };
  readonly spare: Daemon;
  /** A hostile client without credentials. */
  readonly client: HostileClient;
}

/** Starts the service, the workers `victim` and `spare`, and a client. Everything ends with the test. */
export async function startOpenBus(
  t: Test,
  ports: { readonly httpPort: number; readonly busPort: number },
): Promise<OpenBus> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-open-bus-'));
  await chmod(folder, 0o711);
  const flags = ['--scheduler-heartbeat-timeout=4s'];
  const service = await startService({ folder, ...ports, flags, isBusAuthenticated: false });
  const daemons: Daemon[] = [];
  const nc = await openAccess().connect(ports.busPort);
  t.teardown(async () => {
    await nc.close();
    await Promise.all(daemons.map((each) => each.kill()));
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-6000));
  });
  const farm = await service.api.makeFarm('show');
  const isolated = await makeQueue(farm, 'isolated', ISOLATED_USER);
  const spare = startFarmWorker(service, 'spare', 'main,isolated');
  daemons.push(spare);
  const victim = await startVictim(service, farm);
  daemons.push(victim.daemon);
  await online(service, 'spare');
  return {
    service,
    isAuthenticated: false,
    farm,
    victim,
    spare,
    queues: { main: farm.queueId, isolated },
    node: copyNode(folder),
    client: new HostileClient(nc),
  };
}
