import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type {
  Farm,
  FarmHistory,
  FarmWaiting,
  WorkerSummary,
} from "../../../client/resources.ts";
import { counted } from "../../parts/number-text.ts";
import { UseMeter } from "../../parts/meter.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { farmQueries, HOUR_MINUTES } from "../../state/farm-queries.ts";
import { queries } from "../../state/queries.ts";
import { useService } from "../../state/service.tsx";
import { usePermissions } from "../../state/use-permissions.ts";
import { useRefresh } from "../../state/use-refresh.ts";
import { sumOf, sumOfLast } from "./farm-series.ts";
import { farmStatus } from "./farm-status.ts";

/** Periods that decide whether a farm is degraded, in minutes. */
const OFFLINE_MINUTES = 30;
const FAILURE_MINUTES = 15;
const REFRESH_MS = 5_000;

/** The status of the farm and its numbers. */
export function FarmStats({
  farm,
  waiting,
}: {
  farm: Farm;
  waiting: FarmWaiting | undefined;
}) {
  const { rest } = useService();
  const { can } = usePermissions();
  const refetchInterval = useRefresh(REFRESH_MS);
  const hour = useQuery({
    ...farmQueries.history(rest, farm.id, HOUR_MINUTES, 1),
    refetchInterval,
    enabled: can("infra.read"),
  }).data;
  const ofFarm = { farm_id: farm.id };
  const workers = useQuery({
    ...farmQueries.workerSummary(rest, ofFarm),
    refetchInterval,
    enabled: can("workers.read"),
  }).data;
  const jobs = useQuery(queries.jobSummary(rest, ofFarm)).data;
  const inFarm = `farm=${encodeURIComponent(farm.id)}`;
  return (
    <>
      <StatusLine hour={hour} workers={workers} waiting={waiting} />
      <Stats>
        <Stat
          label="Tasks running"
          value={shown(hour?.now?.tasks_running)}
          href={`/jobs?status=running&${inFarm}`}
        />
        <Stat
          label="Tasks ready"
          value={shown(waiting?.tasks ?? hour?.now?.tasks_ready)}
          note={waitingNote(waiting)}
        />
        <Stat
          label="Failed jobs"
          value={shown(jobs?.failed)}
          note={
            hour === undefined
              ? ""
              : `${counted(sumOf(hour.tasks_failed), "task")}, last hour`
          }
          href={`/jobs?status=failed&${inFarm}`}
        />
        <Stat
          label="Workers online"
          value={shown(workers?.online)}
          note={workersNote(workers)}
          href={`/workers?${inFarm}`}
        />
        <Stat
          label="Cores in use"
          value={shown(workers === undefined ? undefined : percent(workers))}
          note={
            workers !== undefined && (
              <UseMeter
                used={workers.cores_booked}
                total={coresOf(workers)}
                unit="cores"
                isAim
              />
            )
          }
          href={`/workers?${inFarm}`}
        />
        <Stat
          label="Succeeded, last hour"
          value={shown(
            hour === undefined ? undefined : sumOf(hour.tasks_succeeded),
          )}
          note={hour === undefined ? "" : coverage(hour)}
        />
      </Stats>
    </>
  );
}

function StatusLine({
  hour,
  workers,
  waiting,
}: {
  hour: FarmHistory | undefined;
  workers: WorkerSummary | undefined;
  waiting: FarmWaiting | undefined;
}) {
  if (hour?.now === undefined || workers === undefined || waiting === undefined)
    return (
      <p className="farm-overview__word muted" role="status">
        Loading the status…
      </p>
    );
  const { state, reason } = farmStatus({
    tasksRunning: hour.now.tasks_running,
    coresBooked: hour.now.cores_booked,
    coresTotal: Math.max(hour.now.cores_total, hour.now.cores_booked),
    workersOnline: workers.online,
    workersOffline: workers.offline,
    recentMaxOnline: Math.max(
      0,
      ...hour.workers_online.slice(-OFFLINE_MINUTES),
    ),
    recentlySucceeded: sumOfLast(hour.tasks_succeeded, FAILURE_MINUTES),
    recentlyFailed: sumOfLast(hour.tasks_failed, FAILURE_MINUTES),
    waiting: waiting.groups,
  });
  return (
    <p className="farm-overview__word" role="status">
      <StatusBadge kind="farm" status={state} /> <span>{reason}</span>
    </p>
  );
}

const shown = (value: number | string | undefined): ReactNode =>
  value === undefined ? <Skeleton width="4ch" /> : value.toLocaleString("en");

/** Returns the cores of online workers, or those in use if tasks on disabled workers make them more. */
const coresOf = ({
  cores_booked: booked,
  cores_total: total,
}: WorkerSummary): number => Math.max(booked, total);

const percent = (workers: WorkerSummary | undefined): string =>
  workers === undefined || coresOf(workers) === 0
    ? "–"
    : `${Math.round((workers.cores_booked / coresOf(workers)) * 100)} %`;

function workersNote(workers: WorkerSummary | undefined): string {
  if (workers === undefined) return "";
  const parts = [
    workers.offline > 0 && `${workers.offline.toLocaleString("en")} offline`,
    workers.disabled > 0 && `${workers.disabled.toLocaleString("en")} disabled`,
    workers.draining > 0 && `${workers.draining.toLocaleString("en")} draining`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "all workers" : parts.join(", ");
}

function waitingNote(waiting: FarmWaiting | undefined): string {
  if (waiting === undefined) return "";
  const reasons = waiting.groups.length;
  return reasons === 0
    ? "no tasks waiting"
    : `for ${counted(reasons, "reason")}`;
}

function coverage(hour: FarmHistory): string {
  const minutes = hour.times.length;
  return minutes >= HOUR_MINUTES - 1
    ? "tasks"
    : `tasks in ${counted(minutes, "minute")}`;
}
