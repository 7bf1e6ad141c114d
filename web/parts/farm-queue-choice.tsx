import { useQuery } from '@tanstack/react-query';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { FilterChoice } from './filter-choice.tsx';

/** Filters a list by farm and queue. Choosing a farm clears the queue. */
export function FarmQueueChoice({
  farm,
  queue,
  onChange,
}: {
  /** Ids; empty for all. */
  farm: string;
  queue: string;
  onChange: (change: { readonly farm?: string; readonly queue: string }) => void;
}) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const offered = queues.filter(({ farm_id: id }) => farm === '' || id === farm);
  const farmOf = (id: string): string => farms.find((each) => each.id === id)?.name ?? '';
  // Queue names are unique only within a farm.
  const isAmbiguous = farm === '' && farms.length > 1;
  return (
    <>
      <FilterChoice
        label="Farm"
        all="All farms"
        value={farm}
        choices={farms.map(({ id, name }) => [id, name])}
        onChange={(chosen) => onChange({ farm: chosen, queue: '' })}
      />
      <FilterChoice
        label="Queue"
        all="All queues"
        value={queue}
        choices={offered.map(({ id, name, farm_id: of }) => [
          id,
          isAmbiguous ? `${name} (${farmOf(of)})` : name,
        ])}
        onChange={(chosen) => onChange({ queue: chosen })}
      />
    </>
  );
}
