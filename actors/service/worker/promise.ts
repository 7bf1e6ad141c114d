import type { SingleBus, WorkerPromise, WorkerRecord } from '../../../src/core/records/worker.ts';
import type { HeartbeatMessage, ServiceTerms } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import type { WorkerState } from './state.ts';

type WorkerContext = ServiceContext<'worker'>;

/** Settings on which the promises to workers depend. */
export type PromiseSettings = Pick<
  ServiceSettings,
  'heartbeatTimeoutMs' | 'reclaimAfterMs' | 'singleBus' | 'serviceId' | 'epoch'
>;

/** Returns the terms of a reply that is sent now. The promise of the worker's record must cover them. */
export function currentTerms(settings: PromiseSettings, context: WorkerContext): ServiceTerms {
  const bus = settings.singleBus();
  return {
    reclaim_after_ms: settings.reclaimAfterMs,
    ...(bus === null ? {} : { single_bus: true, bus: bus.id, absence_limit_ms: bus.limitMs }),
    mark: Math.floor(context.now),
    previews: true,
    ...(settings.epoch === null ? {} : { epoch: settings.epoch }),
  };
}

/**
 * Returns the promise before a reply with the current terms. The worker may use any earlier terms until a heartbeat
 * reports the current ones, so a promise shrinks only then. `heartbeat` is null for a registration.
 */
export function nextPromise(
  record: WorkerRecord,
  heartbeat: HeartbeatMessage | null,
  settings: PromiseSettings,
): WorkerPromise {
  const { heartbeatTimeoutMs, reclaimAfterMs } = settings;
  const bus = settings.singleBus();
  const before = record.promise;
  // A worker of an earlier version knows only the heartbeat timeout.
  if (heartbeat !== null && heartbeat.reclaim_after_ms === undefined)
    return { reclaimAfterMs: heartbeatTimeoutMs, buses: [] };
  const isCurrent = heartbeat?.service === settings.serviceId;
  const usesTime = isCurrent && heartbeat.reclaim_after_ms === reclaimAfterMs;
  const usesBus = isCurrent && heartbeat.bus === bus?.id;
  const earlierBuses = usesBus ? [] : (before?.buses ?? []).filter(({ id }) => id !== bus?.id);
  return {
    reclaimAfterMs: usesTime ? reclaimAfterMs : Math.max(before?.reclaimAfterMs ?? 0, reclaimAfterMs),
    buses: bus === null ? earlierBuses : [...earlierBuses, bus],
  };
}

export const isSamePromise = (a: WorkerPromise | undefined, b: WorkerPromise): boolean =>
  a !== undefined &&
  a.reclaimAfterMs === b.reclaimAfterMs &&
  a.buses.length === b.buses.length &&
  a.buses.every((bus, index) => isSameBus(bus, b.buses[index]));

const isSameBus = (a: SingleBus, b: SingleBus | undefined): boolean =>
  a.id === b?.id && a.limitMs === b.limitMs;

/** Returns the time of silence after which the tasks of the worker may be reclaimed, in milliseconds. */
export const patienceMs = ({ record }: WorkerState, { heartbeatTimeoutMs }: PromiseSettings): number =>
  Math.max(heartbeatTimeoutMs, record.promise?.reclaimAfterMs ?? 0);

/**
 * Returns for how long the worker may continue at another bus than the current one, which says truly that no service is
 * connected there. 0 if it cannot. The time counts from the moment at which this service could receive messages.
 */
export function absenceMs({ record }: WorkerState, settings: PromiseSettings): number {
  const current = settings.singleBus();
  const others = (record.promise?.buses ?? []).filter(({ id }) => id !== current?.id);
  return Math.max(0, ...others.map(({ limitMs }) => limitMs));
}
