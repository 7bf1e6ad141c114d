import { useQuery } from '@tanstack/react-query';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { FilterChoice } from './filter-choice.tsx';

/** Narrows a list to a farm and to a queue; another farm has other queues. */
export function FarmQueueChoice({
  farm,
  queue,
  onChange,
}: {
  /** Ids; empty: all. */
  farm: string;
  queue: string;
  onChange: (change: { readonly farm?: string; readonly queue: string }) => void;
}) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const offered = queues.filter(({ farm_id: id }) => farm === '' || id === farm);
  const farmOf = (id: string): string => farms.find((each) => each.id === id)?.name ?? '';
  // Names of queues are unique in their farm only.
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
