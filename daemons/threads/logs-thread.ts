import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { failStop } from '../../src/adapters/lmdb/fail-stop.ts';
import { LOG_DISK_LIMITS, openLogWriter, type LogWriter } from '../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { EventLoopWatch } from '../../src/adapters/system/event-loop-lag.ts';
import { connectLogBus } from '../../src/adapters/nats/log-bus.ts';
import { AttemptWorkers } from './attempt-workers.ts';
import { exposeControl } from './control-port.ts';
import { DiagnosticIntake, workerLookup } from './diagnostic-intake.ts';
import { KnownJobs } from './known-jobs.ts';
import { LogIntake, STEADY_CLOCK } from './log-intake.ts';
import { LogRemoval } from './log-removal.ts';
import { PreviewIntake } from './preview-intake.ts';
import { serveProfiles } from './profile-channel.ts';
import { MEASURE_PERIOD_MS } from './shard-protocol.ts';
import {
  LOG_PROTOCOL_VERSION,
  type LogControl,
  type LogNotice,
  type LogThreadOptions,
} from './log-protocol.ts';

/**
 * Entry of the logs thread, the only writer of the log store. Chunks that arrive in one turn of the event loop are
 * stored together.
 */
if (parentPort === null) throw new Error('the logs thread is started by the service, not by hand');
serveProfiles('logs');
await runLogs(parentPort, workerData as LogThreadOptions);

async function runLogs(main: MessagePort, options: LogThreadOptions): Promise<void> {
  const notify = (notice: LogNotice): void => main.postMessage(notice);
  const writer = await open(options, notify);
  if (writer === null) return;

  const state = await openStateReader(options.stateDirectory);
  const jobs = new KnownJobs(state);
  const removal = new LogRemoval(writer);
  const workers = new AttemptWorkers(state);
  const intake = new LogIntake(
    writer,
    jobs,
    {
      lookUp: () => workers.lookUp(),
      refused: (reason, delivery) => bus.refuse(reason, delivery),
    },
    notify,
  );
  const previews = new PreviewIntake({
    writer,
    jobs,
    workerOf: (attempt) => workers.workerOf(attempt),
    refused: (reason, delivery) => bus.refuse(reason, delivery),
    tell: notify,
    clock: STEADY_CLOCK,
  });
  const diagnostics = new DiagnosticIntake({
    isWorker: workerLookup(state, () => performance.now()),
    tell: notify,
    now: () => performance.now(),
  });
  let redeliveries = 0;
  const bus = connectLogBus(
    { servers: options.busStreams, replicas: options.busReplicas, isScoped: options.isBusScoped },
    {
      logged: (delivery) => {
        if (delivery.deliveryNumber > 1) redeliveries++;
        intake.add(delivery);
      },
      previewed: (delivery) => {
        if (delivery.deliveryNumber > 1) redeliveries++;
        previews.add(delivery);
      },
      diagnosed: (source, read) => diagnostics.heard(source, read),
      busChanged: (event) => notify({ v: LOG_PROTOCOL_VERSION, type: 'bus', event }),
    },
  );
  const watch = new EventLoopWatch();
  const measuring = setInterval(() => {
    notify({ v: LOG_PROTOCOL_VERSION, type: 'measured', lag: watch.read(), redeliveries });
    redeliveries = 0;
    diagnostics.reportDropped();
  }, MEASURE_PERIOD_MS);
  const control: LogControl = {
    forget: (job) => {
      jobs.forget(job);
      return removal.remove(job);
    },
    lastLogOf: (task) => bus.lastLogOf(task, workers.latestWorkerOf(task)),
    stop: async () => {
      clearInterval(measuring);
      await bus.close();
      removal.stop();
      intake.stop();
      previews.flush();
      await state.close();
      await writer.close();
    },
  };
  exposeControl(control, options.controlPort);
  notify({ v: LOG_PROTOCOL_VERSION, type: 'ready' });
}

async function open(
  options: LogThreadOptions,
  notify: (notice: LogNotice) => void,
): Promise<LogWriter | null> {
  const log = (text: string): void =>
    notify({ v: LOG_PROTOCOL_VERSION, type: 'log', level: 'warn', text, attributes: {} });
  try {
    return await openLogWriter({
      directory: options.logDirectory,
      softwareVersion: options.softwareVersion,
      disk: LOG_DISK_LIMITS,
      maxBytesPerTask: options.maxBytesPerTask,
      endProcess: (failure) =>
        failStop(failure, () => notify({ v: LOG_PROTOCOL_VERSION, type: 'failed', failure })),
      warn: log,
    });
  } catch (error) {
    notify({
      v: LOG_PROTOCOL_VERSION,
      type: 'refused',
      reason: error instanceof Error ? error.message : String(error),
    });
    return null;
  }
}
