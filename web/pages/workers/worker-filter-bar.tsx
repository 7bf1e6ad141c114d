import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Worker, WorkerSummary } from '../../../client/resources.ts';
import { ClearFilters, StatusChips } from '../../parts/filter-chips.tsx';
import { FarmQueueChoice } from '../../parts/farm-queue-choice.tsx';
import { FilterChoice } from '../../parts/filter-choice.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import {
  isFiltered,
  NO_FILTERS,
  offeredTags,
  WORKER_STATUSES,
  type WorkerFilters,
} from './worker-filters.ts';

interface FilterBarProps {
  readonly filters: WorkerFilters;
  readonly summary: WorkerSummary | undefined;
  /** The loaded rows, whose tags are offered before all workers are known. */
  readonly loaded: readonly Worker[];
  readonly onChange: (change: Partial<WorkerFilters>, options?: { readonly replace?: boolean }) => void;
}

/** The filters of the list of workers. */
export function WorkerFilterBar({ filters, summary, loaded, onChange }: FilterBarProps) {
  const { rest } = useService();
  const locations = useQuery(queries.computeLocations(rest)).data ?? [];
  const [needsTags, setNeedsTags] = useState(false);
  const workers = useQuery({ ...queries.workers(rest), enabled: needsTags }).data?.items ?? loaded;
  const tags = offeredTags(workers);
  return (
    <div className="list-filters worker-filters">
      <div className="list-filters__line">
        <SearchBox
          value={filters.search}
          label="Search workers"
          placeholder="Name, host name, ID, or tag (key=value)"
          onChange={(search) => onChange({ search }, { replace: true })}
        />
        <FarmQueueChoice farm={filters.farm} queue={filters.queue} onChange={onChange} />
        <FilterChoice
          label="Compute location"
          all="All locations"
          value={filters.location}
          choices={locations.map(({ name }) => [name, name])}
          onChange={(location) => onChange({ location })}
        />
        {(tags.length > 0 || filters.tag !== '') && (
          <FilterChoice
            label="Tag"
            all="All tags"
            value={filters.tag}
            choices={tags.map((tag) => [tag, tag])}
            onFocus={() => setNeedsTags(true)}
            onChange={(tag) => onChange({ tag })}
          />
        )}
      </div>
      <div className="list-filters__line">
        <StatusChips
          kind="worker"
          statuses={WORKER_STATUSES}
          counts={summary === undefined ? {} : { ...summary }}
          chosen={filters.status === '' ? [] : [filters.status]}
          onChange={(chosen) => onChange({ status: chosen.find((one) => one !== filters.status) ?? '' })}
        />
        {isFiltered(filters) && <ClearFilters onPress={() => onChange(NO_FILTERS)} />}
      </div>
    </div>
  );
}
