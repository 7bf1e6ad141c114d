import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { OwnerNeededError } from '../../http/cluster/cluster-ports.ts';
import { ownersPorts, type OwnersPorts } from '../../http/cluster/owner-ports.ts';
import { AuditRecorder, type RecorderPorts } from '../../http/audit/audit-recorder.ts';
import { ProductList } from '../../http/lists/product-list.ts';
import { TaskTails } from '../../http/log-follow/task-tails.ts';
import type { Ports, StorePages, WebhookPorts } from '../../http/ports.ts';
import { Argon2Passwords } from '../../src/adapters/identity/argon2-passwords.ts';
import { randomSecrets } from '../../src/adapters/identity/random-secrets.ts';
import type { ProductLibrary } from '../../src/core/products/product-library.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { tallyOf } from '../../src/adapters/system/shared-tallies.ts';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import type { BusAuthority } from '../../src/core/ports/bus-authority.ts';
import { busReach } from '../../src/core/discovery/bus-address.ts';
import { actorsOf } from './actors-of.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import type { BusStandingWatch } from './bus-standing.ts';
import { oidcSignIn } from './oidc-sign-in.ts';
import { openDirectory } from './directory.ts';
import { languageLimits } from './open-products.ts';
import { currentLogs } from './current-logs.ts';
import type { Observers } from './observers.ts';
import type { OpenLists } from './open-lists.ts';
import type { OpenState, StartedStore } from './open-state.ts';
import type { PreparationPool } from './preparation-pool.ts';
import type { StartContext } from './start-context.ts';
import type { StartedLogs } from './start-logs.ts';
import { retryOf, type StartedShards } from './start-shards.ts';
import { workerTokensOf } from './worker-tokens.ts';

/** docs/contract/rest.md#public-routes: time limit of each readiness check. */
const CHECK_MS = 5_000;

/** Parts of the service that the REST API uses. */
interface HttpDeps {
  readonly store: StartedStore;
  readonly state: OpenState;
  readonly observers: Observers;
  readonly logs: StartedLogs;
  readonly lists: OpenLists;
  /** Returns the shards; null on a node of a cluster that does not own it. */
  readonly shards: () => StartedShards | null;
  /** Null for a single node. */
  readonly cluster: ClusterNode | null;
  /** Null if the service issues no credentials for the bus. */
  readonly authority: BusAuthority | null;
  readonly webhooks: WebhookPorts;
  readonly pool: PreparationPool;
  readonly products: ProductLibrary;
  readonly storePages: () => StorePages;
  readonly busStanding: BusStandingWatch;
}

/** Returns the ports of the REST API and the event channel. */
export function httpPorts(context: StartContext, deps: HttpDeps): Ports {
  const { config, logger, diagnostics, stopping, version } = context;
  const { store, state, observers, logs, lists, pool, products, storePages } = deps;
  const { reader, changes } = state;
  const { events, taskEvents, followedJobs, metrics } = observers;
  const ids = new Uuid7(() => Date.now());
  const language = languageLimits(config);
  const logReader = currentLogs(logs.store);
  const owners = ownersPortsOf(deps);
  const base = {
    actors: owners.actors,
    newId: () => ids.next(),
    steadyNow: () => performance.now(),
    delay: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    log: (level, text, attributes) => logger[level](attributes, text),
  } satisfies RecorderPorts;
  return {
    ...base,
    ...owners,
    cluster: deps.cluster?.ports() ?? null,
    store: reader,
    commits: {
      count: () => changes.lastReadable(),
      renew: () => reader.refresh(),
      untilReadable: () => changes.untilReadable(),
    },
    jobLists: lists.jobs,
    taskLists: lists.tasks,
    audit: config.auth.enabled ? startAudit(context, base) : null,
    passwords: new Argon2Passwords(),
    directory: openDirectory(context),
    secrets: randomSecrets,
    workerTokens: workerTokensOf(deps.authority, config.bus.urls.length > 0),
    webhooks: deps.webhooks,
    auth: {
      enabled: config.auth.enabled,
      ...config.auth.session,
      validateJobOwner: config.auth.validateJobOwner,
      slowsFailedLogins: config.auth.slowsFailedLogins,
      passwordLengthMin: config.auth.passwordLengthMin,
    },
    oidc: oidcSignIn(config.auth.oidc),
    largeJobs: store.thread,
    prepareJob: ({ client, ...request }) =>
      pool.prepare(client, { kind: 'prepare', ...request, ...language }),
    describeTemplate: ({ client, ...request }) =>
      pool.describe(client, { kind: 'describe', ...request, ...language }),
    describeEnvironments: ({ client, ...request }) =>
      pool.describeEnvironments(client, { kind: 'environments', ...request, ...language }),
    products,
    productList: new ProductList(),
    logs: logReader,
    tails: new TaskTails({
      state: { store: reader, renew: () => reader.refresh() },
      logs: logReader,
      bus: { lastOf: (task) => logs.thread.lastLogOf(task), takenInAt: logs.storedAt },
      events: taskEvents,
      now: () => Date.now(),
      steadyNow: () => performance.now(),
      delay: (milliseconds) => delay(milliseconds),
      warn: (text, attributes) => logger.warn(attributes, text),
    }),
    events,
    taskEvents,
    followedJobs,
    health: { store: () => checkStore(reader), bus: () => checkBus(deps) },
    storePages,
    isStopping: () => stopping.aborted,
    metrics: () => metrics.text(),
    diagnostics: () => diagnostics,
    version,
    settings: () => ({
      bus: busReach(config.bus.urls, config.bus.addr),
      isBusManaged: config.bus.urls.length === 0,
      heartbeatTimeoutMs: config.scheduler.heartbeatTimeoutMs,
      reclaimAfterMs: config.scheduler.reclaimAfterMs,
      jobLinks: config.web.jobLinks,
    }),
    busStanding: () => deps.busStanding.current(),
    acceptsSubmissions: () => store.thread.diskState() === 'ok',
    serverRetry: retryOf(config),
    regex: createRe2Engine(),
    now: () => Date.now(),
  };
}

/** Returns what only the shards know. On a node of a cluster without shards, it throws `OwnerNeededError`. */
function ownersPortsOf({ shards, state, lists, observers, cluster }: HttpDeps): OwnersPorts {
  const running = (): StartedShards => {
    const started = shards();
    if (started === null) throw new OwnerNeededError();
    return started;
  };
  const own: OwnersPorts = {
    actors: actorsOf(() => running().shards, state.reader),
    tally: (slot) => tallyOf(running().tallies, slot),
    activity: () => observers.metrics.activity(),
    history: lists.history,
  };
  return cluster === null ? own : ownersPorts(own, () => cluster.hasActors, cluster.notes());
}

/** Without shards, a node needs the bus to reach the owner. */
async function checkBus({ shards, cluster }: HttpDeps): Promise<void> {
  const started = shards();
  if (started !== null) await started.shards.checkBus(CHECK_MS);
  else if (cluster === null) throw new Error('the shards have not started');
  else await cluster.checkBus(CHECK_MS);
}

/** Returns the writer of the audit log. What waits is stored after the last response. */
function startAudit({ shutdown }: StartContext, ports: RecorderPorts): AuditRecorder {
  const recorder = new AuditRecorder(ports);
  shutdown.add('http', () => recorder.flush());
  return recorder;
}

/** Reads from the store. A failed commit is not checked: it ends the process. */
function checkStore(reader: StateReader): Promise<void> {
  reader.get('farm', 'readiness');
  return Promise.resolve();
}
