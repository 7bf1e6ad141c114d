import type { Test } from 'tap';
import { ClusterNode, type ClusterNodeEvents } from '../../daemons/server/cluster/cluster-node.ts';
import { AuditRecorder } from '../../http/audit/audit-recorder.ts';
import { startFront } from '../../http/front.ts';
import { ownersPorts } from '../../http/cluster/owner-ports.ts';
import type { AuthSettings } from '../../http/ports.ts';
import { SharedStanding, standingMemory, steadyMs } from '../../src/adapters/cluster/standing.ts';
import type { EventBatch } from '../../src/core/wire/event-batch.ts';
import { ApiFixture, AUTH_OFF, BROWSER_OPTIONS, NO_RATE_LIMIT, wideLimits } from '../http/kit/api-fixture.ts';
import { Client } from '../http/kit/client.ts';
import { testEngine } from './http-engine.ts';
import { NatsServer } from './nats-server.ts';

const NODES = ['a', 'b', 'c'] as const;
type Name = (typeof NODES)[number];

/** Lease of an owner that a test does not end. */
const LONG_MS = 3_600_000;

/** A front end of a cluster, whose log node is played by the test through its shared standing. */
export interface FrontOfNode {
  readonly name: Name;
  readonly api: ApiFixture;
  readonly client: Client;
  readonly node: ClusterNode;
  readonly standing: SharedStanding;
  readonly events: (readonly EventBatch[])[];
  /** Number of declared gaps. */
  readonly gaps: () => number;
  readonly problems: string[];
}

/** Makes a node the owner of an epoch, with a lease, at a position. */
export function own({ node, standing, api }: FrontOfNode, epoch: number, position: number): void {
  standing.setApplied(position);
  standing.setAppended(position);
  standing.setState('owner', epoch);
  standing.setLease(steadyMs() + LONG_MS);
  node.serve(api.ports().actors);
}

/** A node follows an epoch and has applied a position. */
export function follow({ standing }: FrontOfNode, epoch: number, position: number): void {
  standing.setState('follower', epoch);
  standing.setApplied(position);
}

/** Starts the front ends of nodes on one nats-server. Everything stops with the test. */
export async function startFronts(
  t: Test,
  names: readonly Name[] = ['a', 'b'],
  auth: AuthSettings = AUTH_OFF,
): Promise<{ readonly bus: NatsServer; readonly fronts: readonly FrontOfNode[] }> {
  const bus = await NatsServer.start();
  const fronts: FrontOfNode[] = [];
  t.teardown(async () => {
    for (const { node } of fronts) await node.close();
    await bus.stop();
  });
  for (const name of names) fronts.push(await startOne(t, name, bus, auth));
  return { bus, fronts };
}

async function startOne(t: Test, name: Name, bus: NatsServer, auth: AuthSettings): Promise<FrontOfNode> {
  const api = new ApiFixture();
  api.auth = auth;
  const memory = standingMemory();
  const events: (readonly EventBatch[])[] = [];
  const problems: string[] = [];
  let gaps = 0;
  const heard: ClusterNodeEvents = {
    events: (batches) => {
      events.push(batches);
    },
    gap: () => {
      gaps += 1;
    },
    warned: (text) => problems.push(text),
    failed: (error) => problems.push(error instanceof Error ? (error.stack ?? '') : String(error)),
    busChanged: () => undefined,
  };
  const peers = NODES.map((each) => ({ name: each, host: '127.0.0.1', port: 1 }));
  const node = new ClusterNode(
    {
      config: { name: 'farm', node: name, peers, secretFile: '', serversSyncAlways: false },
      servers: bus.servers,
      standing: memory,
      logId: () => 'log',
      version: '0.1.0',
      handOver: () => Promise.reject(new Error('this node has no log')),
      httpAddress: `127.0.0.1:${name}`,
    },
    heard,
  );
  api.cluster = node.ports();
  const ports = api.ports();
  const owners = ownersPorts(ports, () => node.hasActors, node.notes());
  const audit = auth.enabled
    ? new AuditRecorder({ ...ports, ...owners, delay: () => Promise.resolve() })
    : null;
  const server = await startFront(
    {
      host: '127.0.0.1',
      port: 0,
      engine: testEngine(),
      rateLimit: NO_RATE_LIMIT,
      profiler: null,
      pprofAddress: null,
      pages: null,
      accessLog: null,
      ...wideLimits(),
      ...BROWSER_OPTIONS,
    },
    { ...ports, ...owners, audit },
  );
  node.frontStarted(server.forwarded);
  const client = new Client(server.port);
  t.teardown(async () => {
    client.close();
    await server.stop(0);
  });
  return {
    name,
    api,
    client,
    node,
    standing: new SharedStanding(memory),
    events,
    gaps: () => gaps,
    problems,
  };
}
