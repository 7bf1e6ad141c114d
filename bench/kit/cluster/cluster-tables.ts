import { textTable } from '../text-table.ts';
import type { ComparedFigures, SideFigures } from './compare-leases.ts';
import type { FailoverFigures, HandOverFigures } from './failovers.ts';
import type { LagFigures } from './log-lag.ts';

/** Figures of `bench/cluster`. Null where a part was not measured. */
export interface ClusterFigures {
  readonly leases: readonly ComparedFigures[];
  readonly offered: ComparedFigures | null;
  readonly lag: LagFigures | null;
  /** Kills of the owner of a farm with one job. */
  readonly failover: FailoverFigures | null;
  readonly hand_over: HandOverFigures | null;
  /** Kills of the owner of a farm with many jobs. */
  readonly takeover: FailoverFigures | null;
  /** Jobs and tasks of `takeover`. */
  readonly jobs: number;
  readonly tasks: number;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const time = ({ p50, p99 }: { readonly p50: number; readonly p99: number }): string =>
  `${p50.toFixed(1)} ${p99.toFixed(1)}`;
const micro = (us: number): string => us.toFixed(0);

/** Formats the tables that `bench/cluster` prints. */
export function clusterTables({
  leases,
  offered,
  lag,
  failover,
  hand_over: handOver,
  takeover,
  jobs,
  tasks,
}: ClusterFigures): string {
  const compared = [...leases, ...(offered === null ? [] : [offered])];
  return [
    ...(compared.length === 0 ? [] : [leaseTable(compared)]),
    ...(lag === null
      ? []
      : [`\nFollowers behind the owner (p50 p99): ${time(lag.time_ms)} ms, ${time(lag.records)} records\n`]),
    ...(failover === null ? [] : [failoverLine('One job', failover)]),
    ...(handOver === null
      ? []
      : [
          `\n${handOver.count} hand-overs: longest time without a lease ${handOver.pause_ms.p50} ms (p50), ` +
            `${handOver.pause_ms.p99} (p99), ${handOver.pause_ms.max} (max)\n`,
        ]),
    ...(takeover === null ? [] : [failoverLine(`${whole(jobs)} jobs, ${whole(tasks)} tasks`, takeover)]),
  ].join('');
}

const leaseTable = (compared: readonly ComparedFigures[]): string =>
  'Leases of a single node and of a cluster: per second, milliseconds (p50 p99), microseconds of processor per lease.\n' +
  textTable(
    [
      'workers',
      'offered',
      'single',
      'cluster',
      'ratio',
      'single ms',
      'cluster ms',
      'single us',
      'owner us',
      'bus us',
      'followers us',
    ],
    compared.map(({ workers, offered_per_second, single, cluster, rate_ratio }) => [
      whole(workers),
      offered_per_second === null ? '-' : whole(offered_per_second),
      whole(single.leases_per_second),
      whole(cluster.leases_per_second),
      rate_ratio.toFixed(2),
      time(single.latency_ms),
      time(cluster.latency_ms),
      `${micro(single.cpu_us.service)} + ${micro(single.cpu_us.bus)}`,
      micro(cluster.cpu_us.service),
      micro(cluster.cpu_us.bus),
      followersOf(cluster),
    ]),
  );

const followersOf = ({ cpu_us }: SideFigures): string => Object.values(cpu_us.followers).map(micro).join(' ');

const failoverLine = (
  name: string,
  { kills, lease_ms, owner_ms, owner_to_lease_ms }: FailoverFigures,
): string =>
  `\n${name}, ${kills} kills of the owner: next lease after ${lease_ms.p50} ms (p50), ${lease_ms.p99} (p99), ` +
  `${lease_ms.max} (max); owner after ${owner_ms.p50} (p50), ${owner_ms.max} (max); ` +
  `from then to the lease ${owner_to_lease_ms.p50} (p50), ${owner_to_lease_ms.max} (max)\n`;
