import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { failStop } from '../../src/adapters/lmdb/fail-stop.ts';
import { LOG_DISK_LIMITS, openLogWriter, type LogWriter } from '../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { steadyMs } from '../../src/adapters/cluster/standing.ts';
import { parseAttemptId } from '../../src/core/ids.ts';
import type { LogDelivery, PreviewDelivery } from '../../src/core/ports/bus.ts';
import { EventLoopWatch } from '../../src/adapters/system/event-loop-lag.ts';
import { connectLogBus } from '../../src/adapters/nats/log-bus.ts';
import { AttemptWorkers } from './attempt-workers.ts';
import { exposeControl } from './control-port.ts';
import { DiagnosticIntake, workerLookup } from './diagnostic-intake.ts';
import { KnownJobs } from './known-jobs.ts';
import { LogIntake, STEADY_CLOCK } from './log-intake.ts';
import { LogRemoval } from './log-removal.ts';
import { LOG_SWEEP_MS, sweepLogs } from './log-sweep.ts';
import { PreviewIntake } from './preview-intake.ts';
import { serveProfiles } from './profile-channel.ts';
import { MEASURE_PERIOD_MS } from './shard-protocol.ts';
import { StateGate } from './state-gate.ts';
import {
  LOG_PROTOCOL_VERSION,
  type LogControl,
  type LogNotice,
  type LogThreadOptions,
} from './log-protocol.ts';

/** A node that was current within this time may remove the logs of jobs that it does not have. */
const CURRENT_MS = 5000;

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
  const gate = options.cluster === null ? null : new StateGate(options.cluster.standing);
  const whenKnown = (key: string, delivery: LogDelivery | PreviewDelivery, add: () => void): void => {
    const attempt = gate === null ? null : parseAttemptId(delivery.message.attempt_id);
    if (gate === null || attempt === null) add();
    else gate.pass(key, () => workers.workerOf(attempt) !== null, add);
  };
  let redeliveries = 0;
  const bus = connectLogBus(
    {
      servers: options.busStreams,
      replicas: options.busReplicas,
      isScoped: options.isBusScoped,
      node: options.cluster?.node ?? null,
    },
    {
      logged: (delivery) => {
        if (delivery.deliveryNumber > 1) redeliveries++;
        whenKnown(`${delivery.streamSequence}`, delivery, () => intake.add(delivery));
      },
      previewed: (delivery) => {
        if (delivery.deliveryNumber > 1) redeliveries++;
        const { attempt_id: attempt, number } = delivery.message;
        whenKnown(`${attempt} ${number}`, delivery, () => previews.add(delivery));
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
  const sweeping = gate === null ? undefined : setInterval(() => void sweep(gate), LOG_SWEEP_MS);
  const control: LogControl = {
    forget: (job) => {
      jobs.forget(job);
      return removal.remove(job);
    },
    lastLogOf: (task) => bus.lastLogOf(task, workers.latestWorkerOf(task)),
    stop: async () => {
      clearInterval(measuring);
      clearInterval(sweeping);
      gate?.stop();
      await bus.close();
      removal.stop();
      intake.stop();
      previews.flush();
      await state.close();
      await writer.close();
    },
  };
  const startedMs = steadyMs();
  const sweep = async (state: StateGate): Promise<void> => {
    if (!state.isCurrentSince(Math.max(startedMs, steadyMs() - CURRENT_MS))) return;
    const removed = await sweepLogs({ writer, jobs, removal });
    if (removed === 0) return;
    const attributes = { jobs: String(removed) };
    const text = 'removed the logs of jobs that were deleted';
    notify({ v: LOG_PROTOCOL_VERSION, type: 'log', level: 'info', text, attributes });
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
