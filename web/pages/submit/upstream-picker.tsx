import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useDeferredValue, useId, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Ago } from '../../parts/time.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useService } from '../../state/service.tsx';
import type { Upstream } from './model/draft.ts';
import './upstream-picker.css';

const FOUND_MAX = 8;

/** The jobs of the farm that have to complete first, found by their name, project, owner or id. */
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
  const { rest } = useService();
  const listId = useId();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(0);
  const search = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ['jobs', 'upstreams', farmId, search],
    queryFn: ({ signal }) =>
      rest.call('get', '/jobs', {
        query: { farm_id: farmId, search, limit: FOUND_MAX, sort_by: 'created_at', sort_dir: 'desc' },
        signal,
      }),
    enabled: isOpen && farmId !== '',
    placeholderData: keepPreviousData,
  });
  const found = (data?.items ?? []).filter((job) => !chosen.some(({ id }) => id === job.id));
  const current = Math.min(at, found.length - 1);
  const add = (job: Upstream | undefined): void => {
    if (job === undefined) return;
    onChange([...chosen, { id: job.id, name: job.name }]);
    setText('');
    setAt(0);
  };
  return (
    <div className="upstream-picker">
      <Field label="Wait for jobs" error={error} hint="The job begins when all of these have completed.">
        {(control) => (
          <input
            {...control}
            className="input"
            type="text"
            role="combobox"
            aria-expanded={isOpen && found.length > 0}
            aria-controls={listId}
            aria-activedescendant={
              isOpen && found[current] !== undefined ? `${listId}-${current}` : undefined
            }
            autoComplete="off"
            spellCheck={false}
            placeholder="Name, project, owner or id"
            value={text}
            disabled={farmId === ''}
            onFocus={() => setIsOpen(true)}
            onBlur={() => setIsOpen(false)}
            onChange={(event) => {
              setText(event.target.value);
              setIsOpen(true);
              setAt(0);
            }}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
              if (step !== 0) {
                event.preventDefault();
                setIsOpen(true);
                setAt((current + step + found.length) % Math.max(1, found.length));
              } else if (event.key === 'Enter' && isOpen) {
                event.preventDefault();
                add(found[current]);
              } else if (event.key === 'Escape') setIsOpen(false);
            }}
          />
        )}
      </Field>
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
              // The field keeps the focus.
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
      {chosen.length > 0 && (
        <ul className="upstream-picker__chosen" aria-label="Jobs to wait for">
          {chosen.map((job) => (
            <li key={job.id} title={job.id}>
              <span className="upstream-picker__name">{job.name}</span>
              <IconButton
                label={`Do not wait for ${job.name}`}
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
