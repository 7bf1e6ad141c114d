import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import type { JobSummary } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { classNames } from '../../parts/class-names.ts';
import { ClearFilters, StatusChips } from '../../parts/filter-chips.tsx';
import { FarmQueueChoice } from '../../parts/farm-queue-choice.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { JOB_STATUSES } from '../../parts/status-looks.ts';
import { productQueries } from '../../state/product-queries.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { isFiltered, NO_FILTERS, type JobFilters } from './job-filters.ts';

interface FilterBarProps {
  readonly filters: JobFilters;
  readonly summary: JobSummary | undefined;
  /** Suggestions for the filters, from the loaded jobs. */
  readonly owners: readonly string[];
  readonly projects: readonly string[];
  readonly onChange: (change: Partial<JobFilters>, options?: { readonly replace?: boolean }) => void;
}

/** The filters of the list of jobs. */
export function JobFilterBar({ filters, summary, owners, projects, onChange }: FilterBarProps) {
  const { rest } = useService();
  const principal = useQuery(queries.principal(rest)).data;
  const { can } = usePermissions();
  const [hasProducts, setHasProducts] = useState(false);
  const products =
    useQuery({ ...productQueries.list(rest), enabled: hasProducts && can('products.read') }).data ?? [];
  const [isOpen, setIsOpen] = useState(false);
  const foldedCount = [filters.farm, filters.queue, filters.owner, filters.project, filters.product].filter(
    (text) => text !== '',
  ).length;
  const hasAccount = principal !== undefined && principal.kind !== 'anonymous';
  return (
    <div className="list-filters job-filters">
      <div className="list-filters__line">
        <SearchBox
          value={filters.search}
          label="Search jobs"
          placeholder="Name, ID, owner, or project"
          onChange={(search) => onChange({ search }, { replace: true })}
        />
        <span className="job-filters__unfold">
          <Button
            icon={<SlidersHorizontal aria-hidden="true" />}
            isPressed={isOpen}
            onPress={() => setIsOpen(!isOpen)}
          >
            {foldedCount === 0 ? 'Filters' : `Filters (${foldedCount})`}
          </Button>
        </span>
        <div className={classNames('job-filters__fold', isOpen && 'job-filters__fold--open')}>
          <FarmQueueChoice farm={filters.farm} queue={filters.queue} onChange={onChange} />
          <FilterText
            label="Owner"
            value={filters.owner}
            suggestions={owners}
            onChange={(owner) => onChange({ owner })}
          />
          <FilterText
            label="Project"
            value={filters.project}
            suggestions={projects}
            onChange={(project) => onChange({ project })}
          />
          <FilterText
            label="Product"
            value={filters.product}
            suggestions={products.map(({ name }) => name)}
            onFocus={() => setHasProducts(true)}
            onChange={(product) => onChange({ product })}
          />
          {hasAccount && (
            <Button
              size="small"
              isPressed={filters.owner === principal.username}
              onPress={() =>
                onChange({ owner: filters.owner === principal.username ? '' : principal.username })
              }
            >
              My jobs
            </Button>
          )}
        </div>
      </div>
      <div className="list-filters__line">
        <StatusChips
          kind="job"
          statuses={JOB_STATUSES}
          counts={summary ?? {}}
          chosen={filters.status}
          onChange={(status) => onChange({ status })}
        />
        {isFiltered(filters) && <ClearFilters onPress={() => onChange(NO_FILTERS)} />}
      </div>
    </div>
  );
}

/** Filter for an exact text. It applies on Enter, on leaving the field, and on choosing a suggestion. */
function FilterText({
  label,
  value,
  suggestions,
  onFocus,
  onChange,
}: {
  label: string;
  value: string;
  suggestions: readonly string[];
  /** Called when the suggestions are needed. */
  onFocus?: () => void;
  onChange: (value: string) => void;
}) {
  const listId = useId();
  const commit = (text: string): void => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <>
      <input
        key={value}
        className="input job-filters__text"
        aria-label={label}
        placeholder={label}
        defaultValue={value}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        onFocus={onFocus}
        onInput={(event) => {
          // The browser reports a chosen suggestion or a cleared field with another event or input type than typing.
          const typed = event.nativeEvent;
          if (!(typed instanceof InputEvent) || typed.inputType === 'insertReplacementText') {
            commit(event.currentTarget.value);
          }
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit(event.currentTarget.value);
        }}
        onBlur={(event) => commit(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}
