import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type KeyboardEvent } from 'react';
import type { Job } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import type { Upstream } from './model/draft.ts';

const MAX_FOUND = 8;

export interface UpstreamSearch {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly isOpen: boolean;
  readonly setIsOpen: (isOpen: boolean) => void;
  /** The newest matching jobs that are not chosen yet. */
  readonly found: readonly Job[];
  /** Index of the active job; -1 for none. */
  readonly current: number;
  readonly add: (job: Upstream | undefined) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Searches the jobs of a farm: the arrow keys move, Enter adds the active job, Escape closes the list. */
export function useUpstreamSearch(
  farmId: string,
  chosen: readonly Upstream[],
  onChange: (chosen: readonly Upstream[]) => void,
): UpstreamSearch {
  const { rest } = useService();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(0);
  const search = useDeferredValue(text.trim());
  const { data } = useQuery({
    queryKey: ['jobs', 'upstreams', farmId, search],
    queryFn: ({ signal }) =>
      rest.call('get', '/jobs', {
        query: { farm_id: farmId, search, limit: MAX_FOUND, sort_by: 'created_at', sort_dir: 'desc' },
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
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setIsOpen(true);
      setAt((current + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      add(found[current]);
    } else if (event.key === 'Escape') setIsOpen(false);
  };
  return {
    text,
    setText: (next) => {
      setText(next);
      setIsOpen(true);
      setAt(0);
    },
    isOpen,
    setIsOpen,
    found,
    current,
    add,
    onKeyDown,
  };
}
