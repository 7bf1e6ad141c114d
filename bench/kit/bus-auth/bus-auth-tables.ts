import { textTable } from '../text-table.ts';
import type { ConnectedFigures } from './connected-workers.ts';
import { MODES, type Mode } from './bus-services.ts';
import type { JoinTimes } from './join-times.ts';
import type { LeaseComparison } from './lease-comparison.ts';

export interface BusAuthFigures {
  readonly leases?: readonly LeaseComparison[];
  readonly joins?: JoinTimes;
  readonly connected?: Readonly<Partial<Record<Mode, ConnectedFigures>>>;
}

/** Formats the tables that `bench/bus-auth` prints: those of the parts that were measured. */
export const busAuthTables = ({ leases, joins, connected }: BusAuthFigures): string =>
  [
    leases === undefined ? '' : leaseTable(leases),
    joins === undefined ? '' : joinTable(joins),
    connected === undefined ? '' : connectedTable(connected),
  ].join('');

const leaseTable = (leases: readonly LeaseComparison[]): string =>
  `Leases a second, milliseconds from request to reply (p50, p99), microseconds of processor for each lease.\n${textTable(
    [
      ...['workers', 'load', 'bus', 'leases', 'of the open bus'],
      ...['lease ms', 'service us', 'bus us', 'workers us', 'service and bus: open of it'],
    ],
    leases.flatMap(({ workers, closed, together, offered, separated }) =>
      [
        { load: 'closed', side: closed },
        { load: 'closed, both buses at the same time', side: together },
        { load: `${offered.per_second}/s`, side: offered },
        ...(separated === null ? [] : [{ load: 'closed, workers on a core of their own', side: separated }]),
      ].flatMap(({ load, side }) => MODES.map((mode) => leaseLine(workers, load, side, mode))),
    ),
  )}`;

const joinTable = (joins: JoinTimes): string =>
  `\nMilliseconds from the start of a worker until it is online.\n${textTable(
    ['bus', 'starts', 'p50', 'max'],
    MODES.map((mode) => [mode, joins.starts, joins[mode].p50_ms, joins[mode].max_ms].map(String)),
  )}`;

const connectedTable = (connected: NonNullable<BusAuthFigures['connected']>): string =>
  `\nnats-server with connected workers: memory in MiB without them, with them, and after a restart; times of the restart.\n${textTable(
    [
      ...['workers', 'bus', 'MiB alone', 'connected', 'restarted', '% of a core'],
      ...['joins s', 'answers ms', 'all connected ms', 'failed tries', 'bus CPU s', 'workers CPU s'],
    ],
    MODES.flatMap((mode) => {
      const of = connected[mode];
      return of === undefined ? [] : [connectedLine(mode, of)];
    }),
  )}`;

function leaseLine(workers: number, load: string, side: LeaseComparison['closed'], mode: Mode): string[] {
  const { leases_per_second, latency_ms, cpu_us } = side[mode];
  const isCompared = mode === 'authenticated';
  return [
    ...[workers, load, mode, leases_per_second, isCompared ? side.ratio : ''],
    ...[`${latency_ms.p50} ${latency_ms.p99}`, cpu_us.service, cpu_us.bus, cpu_us.client],
    isCompared ? side.service_and_bus_cpu_ratio : '',
  ].map(String);
}

const connectedLine = (mode: Mode, of: ConnectedFigures): string[] =>
  [
    ...[of.workers, mode, of.bus_mib.without_workers, of.bus_mib.connected, of.bus_mib.reconnected],
    ...[of.bus_percent_of_core, of.joined_seconds, of.restart.answers_ms, of.restart.all_workers_ms],
    ...[of.restart.failed_tries, of.restart.bus_cpu_seconds, of.restart.workers_cpu_seconds],
  ].map(String);
