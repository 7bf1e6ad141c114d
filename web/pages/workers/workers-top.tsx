import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { WorkerSummary } from '../../../client/resources.ts';
import { UseMeter } from '../../parts/meter.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { Stat, Stats } from '../../parts/stat.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { summedUtilisation } from './utilisation.ts';

const MINUTES = 180;
const STEP_MINUTES = 2;
const EVERY_MS = 30_000;
/** Farms whose history is requested, one request each. */
const MAX_FARMS = 8;

/** Numbers of the workers that match the filters, and the load of the farm. */
export function WorkersTop({ summary, farm }: { summary: WorkerSummary | undefined; farm: string }) {
  const number = (value: number | undefined) =>
    value === undefined ? <Skeleton width="4ch" /> : value.toLocaleString('en');
  const booked = summary?.cores_booked ?? 0;
  // Tasks on disabled workers hold cores that do not count as online.
  const total = Math.max(booked, summary?.cores_total ?? 0);
  const draining = summary?.draining ?? 0;
  return (
    <Stats>
      <Stat
        label="Online"
        value={number(summary?.online)}
        note={draining > 0 ? `${draining.toLocaleString('en')} draining` : 'taking tasks'}
      />
      <Stat label="Offline" value={number(summary?.offline)} note="no heartbeat" />
      <Stat label="Disabled" value={number(summary?.disabled)} note="taking no tasks" />
      <Stat
        label="Cores in use"
        value={summary === undefined ? <Skeleton width="6ch" /> : percent(booked, total)}
        note={<UseMeter used={booked} total={total} unit="cores" isAim />}
      />
      <BookedHours farm={farm} />
    </Stats>
  );
}

const percent = (booked: number, total: number): string =>
  total === 0 ? '–' : `${Math.round((booked / total) * 100)} %`;

/** Booked cores of the last hours, of one farm or all farms. */
function BookedHours({ farm }: { farm: string }) {
  const { rest } = useService();
  const { can } = usePermissions();
  const refetchInterval = useRefresh(EVERY_MS);
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const farmIds = farm === '' ? farms.map(({ id }) => id).slice(0, MAX_FARMS) : [farm];
  const histories = useQueries({
    queries: farmIds.map((id) => ({
      ...farmQueries.history(rest, id, MINUTES, STEP_MINUTES),
      refetchInterval,
      enabled: can('infra.read'),
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const { booked, total } = useMemo(() => summedUtilisation(histories), [histories]);
  const maxBooked = Math.max(0, ...booked);
  const maxTotal = Math.max(1, ...total);
  if (booked.length < 2) return null;
  return (
    <Stat
      label="Booked, last 3 hours"
      href={farm === '' ? '/' : `/?farm=${encodeURIComponent(farm)}`}
      value={
        <Sparkline
          values={booked}
          max={maxTotal}
          width={120}
          height={30}
          label={`Cores booked in the last three hours: at most ${maxBooked.toLocaleString('en')} of ${maxTotal.toLocaleString('en')}`}
        />
      }
      note={`at most ${numberText(maxBooked)} of ${maxTotal.toLocaleString('en')} cores`}
    />
  );
}
