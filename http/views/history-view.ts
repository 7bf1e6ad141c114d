import {
  MINUTE_MS,
  type FarmColumns,
  type SampleShare,
  type SeriesColumns,
} from '../../src/core/history/farm-samples.ts';
import type { LoadPoint } from '../../src/core/history/load-samples.ts';
import type { WorkerRecord } from '../../src/core/records/worker.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { FarmNow } from '../history/farm-watch.ts';
import type { Schemas } from './schemas.ts';

const STEP_SECONDS = MINUTE_MS / 1000;

/** Selection of a history. `isOwn` is true for the tasks of one owner, whose ready and running ones are not kept. */
export interface ShownHistory {
  readonly id: string;
  readonly stepMinutes: number;
  readonly isOwn: boolean;
}

/** `GET /stats/history`: history of a farm and its current load; `now` is null before the first observation. */
export function farmHistoryView(
  { id, stepMinutes, isOwn }: ShownHistory,
  columns: FarmColumns,
  now: FarmNow | null,
): Schemas['FarmHistory'] {
  return {
    farm_id: id,
    step_seconds: stepMinutes * STEP_SECONDS,
    times: columns.times.map(timestampOf),
    cores_total: columns.coresTotal,
    cores_booked: columns.coresBooked,
    workers_online: columns.workersOnline,
    ...(!isOwn && { tasks_ready: columns.ready, tasks_running: columns.live }),
    tasks_succeeded: columns.succeeded,
    tasks_failed: columns.failed,
    queues: columns.queues.map(seriesView),
    owners: columns.owners.map(seriesView),
    projects: columns.projects.map(seriesView),
    ...(now !== null && { now: nowView(now) }),
  };
}

const seriesView = (series: SeriesColumns): Schemas['HistorySeries'] => ({
  ...keyView(series.key),
  cores_booked: series.coresBooked,
  tasks_succeeded: series.succeeded,
  tasks_failed: series.failed,
});

const nowView = (now: FarmNow): Schemas['FarmNow'] => ({
  at: timestampOf(now.at),
  cores_total: now.coresTotal,
  cores_booked: now.coresBooked,
  workers_online: now.workersOnline,
  tasks_ready: now.ready,
  tasks_running: now.live,
  queues: now.queues.map(shareView),
  owners: now.owners.map(shareView),
  projects: (now.projects ?? []).map(shareView),
});

const shareView = ({ key, coresBooked }: SampleShare): Schemas['BookedShare'] => ({
  ...keyView(key),
  cores_booked: coresBooked,
});

const keyView = (key: string | null) => ({ key: key ?? '', is_other: key === null });

/** `GET /workers/{id}/history`: booked cores of a worker, one point per minute. */
export const workerHistoryView = (
  worker: WorkerRecord,
  points: readonly LoadPoint[],
): Schemas['WorkerHistory'] => ({
  worker_id: worker.id,
  cpu_count: worker.cpuCount,
  step_seconds: STEP_SECONDS,
  times: points.map(({ at }) => timestampOf(at)),
  cores_booked: points.map(({ load }) => load),
});
