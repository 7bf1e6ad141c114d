import { openLogReader, type LogStoreReader } from '../../src/adapters/lmdb/log-reader.ts';
import type { StandingMemory } from '../../src/adapters/cluster/standing.ts';
import { failStop } from '../process/fail-stop.ts';
import { storeDirectory } from '../maintenance/data-directory.ts';
import type { LogNotice } from '../threads/log-protocol.ts';
import { startLogThread, type LogThread } from './log-thread.ts';
import type { Observers } from './observers.ts';
import type { OpenedBus } from './open-bus.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';
import { recordWorkerDiagnostics } from './worker-diagnostics.ts';

/** The logs thread and the store that it writes. */
export interface StartedLogs {
  readonly thread: LogThread;
  readonly store: LogStoreReader;
  /** Returns when the thread last stored chunks, or when it started: milliseconds of the monotonic clock. */
  readonly storedAt: () => number;
}

/** Starts the logs thread and opens its store for the main thread. */
export async function startLogs(
  context: StartContext,
  bus: OpenedBus,
  observers: Observers,
  standing: StandingMemory | null,
): Promise<StartedLogs> {
  const { config, directory, version, logger, stopping, shutdown } = context;
  const logDirectory = storeDirectory(directory, 'logs');
  let storedAt = performance.now();
  const thread = await startLogThread(
    {
      logDirectory,
      stateDirectory: storeDirectory(directory, 'state'),
      busStreams: bus.streams,
      isBusScoped: bus.isScoped,
      busReplicas: config.bus.replicas,
      softwareVersion: version.version,
      cluster: config.cluster === null || standing === null ? null : { node: config.cluster.node, standing },
      maxBytesPerTask: config.logs.maxBytesPerTask,
    },
    {
      noticed: (notice) => {
        if (notice.type === 'stored') storedAt = performance.now();
        handleNotice(notice, context, observers);
      },
      broken: (error) => failStop(logger, 'the logs thread has ended', error),
    },
  );
  shutdown.add('bus', () => thread.stop());
  const store = await openLogReader(logDirectory);
  shutdown.add('store', () => store.close());
  throwIfStopping(stopping);
  return { thread, store, storedAt: () => storedAt };
}

function handleNotice(
  notice: LogNotice,
  { logger, diagnostics }: StartContext,
  { busLog, metrics, taskEvents }: Observers,
): void {
  if (notice.type === 'log') logger[notice.level](notice.attributes, notice.text);
  if (notice.type === 'bus') {
    busLog.note('logs', notice.event);
    if (notice.event.type === 'refused') metrics.refused(notice.event);
  }
  if (notice.type === 'diagnosed' && diagnostics !== null) recordWorkerDiagnostics(diagnostics, notice.told);
  if (notice.type === 'measured') {
    metrics.loopLagged('logs', notice.lag);
    metrics.redelivered('logs', notice.redeliveries);
  }
  if (notice.type === 'stored')
    for (const taskId of notice.tasks) taskEvents.publish({ kind: 'log', taskId });
}
