import { EventHub, numbersOfNode } from '../../http/ws/hub.ts';
import { EventLoopWatch } from '../../src/adapters/system/event-loop-lag.ts';
import {
  FollowedJobs,
  followedMemory,
  type FollowedMemory,
} from '../../src/adapters/system/followed-jobs.ts';
import type { ClusterConfig } from '../../src/core/config/cluster-config.ts';
import { BusLog } from '../process/bus-log.ts';
import { MEASURE_PERIOD_MS } from '../threads/shard-protocol.ts';
import { ServiceMetrics } from './metrics.ts';
import type { OpenState, StartedStore } from './open-state.ts';
import type { StartContext } from './start-context.ts';
import { TaskEventHub } from './task-events.ts';

/** Receivers of what the threads publish: subscribers, the log of the bus, and metrics. */
export interface Observers {
  /** Shared with the shards: which jobs have subscribers. */
  readonly followed: FollowedMemory;
  readonly followedJobs: FollowedJobs;
  /** Changes of single tasks, for requests of this process that wait for them. */
  readonly taskEvents: TaskEventHub;
  /** Events for WebSocket clients. */
  readonly events: EventHub;
  readonly busLog: BusLog;
  readonly metrics: ServiceMetrics;
}

/** Creates the observers and starts to measure the event loop of the main thread. */
export function createObservers(
  { config, logger, diagnostics, stopping, shutdown }: StartContext,
  store: StartedStore,
  { reader, changes }: OpenState,
): Observers {
  const followed = followedMemory();
  const followedJobs = new FollowedJobs(followed);
  const { cluster } = config;
  // Any node may have clients that follow any job.
  if (cluster !== null) followedJobs.followAll();
  const taskEvents = new TaskEventHub(followedJobs, () => changes.untilReadable());
  const events = new EventHub({
    replayDepth: config.events.replayDepth,
    now: () => Date.now(),
    steadyNow: () => performance.now(),
    firstNumber: cluster === null ? 0 : numbersOfNode(placeOf(cluster)),
  });
  diagnostics?.listen((record) => events.publishDiagnostic(record));
  const busLog = new BusLog(logger);
  stopping.addEventListener('abort', () => busLog.stopping());
  const metrics = new ServiceMetrics(() => [...reader.scan('queue')].map(({ value }) => value));
  metrics.eventChannel(() => events.figures);
  store.observeLag((lag) => metrics.loopLagged('store', lag));
  const mainThreadLag = new EventLoopWatch();
  const measuring = setInterval(() => metrics.loopLagged('front', mainThreadLag.read()), MEASURE_PERIOD_MS);
  shutdown.add('scheduler', () => clearInterval(measuring));
  return { followed, followedJobs, taskEvents, events, busLog, metrics };
}

/** Returns the place of a node among the nodes of its cluster, which is the same on all of them. */
const placeOf = ({ node, peers }: ClusterConfig): number =>
  peers
    .map(({ name }) => name)
    .sort()
    .indexOf(node);
