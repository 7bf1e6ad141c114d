import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { workerNameQuery } from '../state/worker-names.ts';

/** Names of items that rows refer to by id. A deleted item is shown by its id. */

const short = (id: string): string => (id.length > 13 ? `${id.slice(0, 8)}…` : id);

export function FarmName({ id }: { id: string }) {
  const { rest } = useService();
  const { data } = useQuery(queries.farms(rest));
  const name = data?.find((farm) => farm.id === id)?.name;
  return <span title={id}>{name ?? short(id)}</span>;
}

export function QueueName({ id }: { id: string }) {
  const { rest } = useService();
  const { data } = useQuery(queries.queues(rest));
  const name = data?.find((queue) => queue.id === id)?.name;
  return <span title={id}>{name ?? short(id)}</span>;
}

export function WorkerName({ id }: { id: string }) {
  const { rest } = useService();
  const known = useQuery(workerNameQuery(id)).data;
  const { data } = useQuery({ ...queries.workers(rest), enabled: known === undefined });
  const listed = known ?? data?.items.find((worker) => worker.id === id)?.name;
  // On a farm with more workers than the list has, the worker is requested by its id.
  const isUnlisted = data !== undefined && listed === undefined && data.total > data.items.length;
  const own = useQuery({ ...queries.worker(rest, id), staleTime: 60_000, enabled: isUnlisted });
  const name = listed ?? own.data?.name;
  return (
    <Link href={`/workers/${encodeURIComponent(id)}`} title={id}>
      {name ?? short(id)}
    </Link>
  );
}
