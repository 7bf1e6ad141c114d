import { SharedStanding, standingMemory, type StandingMemory } from '../../src/adapters/cluster/standing.ts';
import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { setTimeout as delay } from 'node:timers/promises';
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
import { ownerActors } from './actors-of.ts';
import type { BusStandingWatch } from './bus-standing.ts';
import { oidcSignIn } from './oidc-sign-in.ts';
import { openDirectory } from './directory.ts';
import { languageLimits } from './open-products.ts';
import { currentLogs } from './current-logs.ts';
import type { Observers } from './observers.ts';
import type { OpenLists } from './open-lists.ts';
import type { OpenState, StartedStore } from './open-state.ts';
import type { OwnerRole } from './owner-role.ts';
import type { PreparationPool } from './preparation-pool.ts';
import type { StartContext } from './start-context.ts';
import type { StartedLogs } from './start-logs.ts';
import { retryOf } from './start-shards.ts';
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
  readonly owner: OwnerRole;
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
  const { owner } = deps;
  const { events, taskEvents, followedJobs, metrics } = observers;
  const ids = new Uuid7(() => Date.now());
  const language = languageLimits(config);
  const logReader = currentLogs(logs.store);
  const base = {
    actors: ownerActors(owner, reader),
    newId: () => ids.next(),
    steadyNow: () => performance.now(),
    delay: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    log: (level, text, attributes) => logger[level](attributes, text),
  } satisfies RecorderPorts;
  return {
    ...base,
    store: reader,
    commits: {
      count: () => changes.lastReadable(),
      renew: () => reader.refresh(),
      untilReadable: () => changes.untilReadable(),
    },
    jobLists: lists.jobs,
    taskLists: lists.tasks,
    history: lists.history,
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
    health: { store: () => checkStore(reader), bus: () => checkRole(owner, store.standing) },
    storePages,
    isStopping: () => stopping.aborted,
    metrics: () => metrics.text(),
    activity: () => metrics.activity(),
    diagnostics: () => diagnostics,
    tally: (slot) => {
      const actors = owner.current();
      return actors === null ? 0 : tallyOf(actors.tallies, slot);
    },
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

/** Returns the writer of the audit log. What waits is stored after the last response. */
function startAudit({ shutdown }: StartContext, ports: RecorderPorts): AuditRecorder {
  const recorder = new AuditRecorder(ports);
  shutdown.add('http', () => recorder.flush());
  return recorder;
}

/** Checks the bus of an owner, and that any other node of a cluster follows. */
async function checkRole(owner: OwnerRole, standing: StandingMemory | null): Promise<void> {
  const actors = owner.current();
  if (actors !== null) return actors.shards.checkBus(CHECK_MS);
  const { state, epoch } = new SharedStanding(standing ?? standingMemory()).read();
  if (state !== 'follower' || epoch === 0)
    throw new Error(`this node does not follow its cluster yet: it is ${state} in epoch ${epoch}`);
}

/** Reads from the store. A failed commit is not checked: it ends the process. */
function checkStore(reader: StateReader): Promise<void> {
  reader.get('farm', 'readiness');
  return Promise.resolve();
}
