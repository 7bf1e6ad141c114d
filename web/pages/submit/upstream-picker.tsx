import { X } from 'lucide-react';
import { useId } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { Field, type ControlProps } from '../../parts/field.tsx';
import { Ago } from '../../parts/time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import type { Upstream } from './model/draft.ts';
import { useUpstreamSearch, type UpstreamSearch } from './use-upstream-search.ts';
import './upstream-picker.css';

/** Selects the upstream jobs of a job by searching the jobs of the farm. */
export function UpstreamPicker({
  farmId,
  chosen,
  error,
  onChange,
}: {
  farmId: string;
  chosen: readonly Upstream[];
  error: string;
  onChange: (chosen: readonly Upstream[]) => void;
}) {
  const listId = useId();
  const search = useUpstreamSearch(farmId, chosen, onChange);
  return (
    <div className="upstream-picker">
      <Field label="Wait for jobs" error={error} hint="The job starts when all of these jobs have completed.">
        {(control) => (
          <SearchInput control={control} search={search} listId={listId} isDisabled={farmId === ''} />
        )}
      </Field>
      <FoundJobs search={search} listId={listId} />
      {chosen.length > 0 && (
        <ul className="upstream-picker__chosen" aria-label="Jobs to wait for">
          {chosen.map((job) => (
            <li key={job.id} title={job.id}>
              <span className="upstream-picker__name">{job.name}</span>
              <IconButton
                label={`Remove ${job.name}`}
                icon={<X aria-hidden="true" />}
                size="small"
                onPress={() => onChange(chosen.filter(({ id }) => id !== job.id))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function SearchInput({
  control,
  search,
  listId,
  isDisabled,
}: {
  control: ControlProps;
  search: UpstreamSearch;
  listId: string;
  isDisabled: boolean;
}) {
  const { text, setText, isOpen, setIsOpen, found, current, onKeyDown } = search;
  return (
    <input
      {...control}
      className="input"
      type="text"
      role="combobox"
      aria-expanded={isOpen && found.length > 0}
      aria-controls={listId}
      aria-activedescendant={isOpen && found[current] !== undefined ? `${listId}-${current}` : undefined}
      autoComplete="off"
      spellCheck={false}
      placeholder="Name, project, owner, or ID"
      value={text}
      disabled={isDisabled}
      onFocus={() => setIsOpen(true)}
      onBlur={() => setIsOpen(false)}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function FoundJobs({ search, listId }: { search: UpstreamSearch; listId: string }) {
  const { isOpen, found, current, add } = search;
  return (
    <ul
      id={listId}
      className="upstream-picker__found"
      role="listbox"
      aria-label="Jobs found"
      hidden={!isOpen || found.length === 0}
    >
      {found.map((job, index) => (
        <li
          key={job.id}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={index === current}
          onPointerDown={(event) => {
            // Keeps the focus in the input.
            event.preventDefault();
            add(job);
          }}
        >
          <span className="upstream-picker__name">{job.name}</span>
          <StatusBadge kind="job" status={job.status} />
          <span className="muted">
            <Ago iso={job.created_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
