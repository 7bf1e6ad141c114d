import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleHelp, ListChecks, Pause, Server, SunMoon, type LucideIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { statusStyle } from '../parts/status-looks.ts';
import { liveUpdates } from '../state/live-updates.ts';
import { queries } from '../state/queries.ts';
import { useService } from '../state/service.tsx';
import { changeTheme } from '../state/theme.ts';
import { usePermissions } from '../state/use-permissions.ts';
import { NAV_ITEMS } from './navigation.ts';
import './palette.css';

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly icon: LucideIcon;
  readonly act: () => void;
}

const JOBS_FOUND = 8;
const WORKERS_FOUND = 5;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(:[0-9:]+)?$/i;

/** Pages, jobs, workers and deeds by some letters of their name: Ctrl K. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const entries = useEntries(text.trim(), onHelp);
  const current = Math.min(chosen, entries.length - 1);
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  const act = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.act();
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Find or do"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        className="palette__input"
        role="combobox"
        aria-label="Find a page, a job or a worker, or do something"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={
          entries[current] === undefined ? undefined : `${listId}-${entries[current].id}`
        }
        placeholder="A page, a job, a worker, or what to do"
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            setChosen((current + step + entries.length) % Math.max(1, entries.length));
          } else if (event.key === 'Enter') act(entries[current]);
        }}
      />
      <ul id={listId} className="palette__list" role="listbox" aria-label="Found">
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            id={`${listId}-${entry.id}`}
            role="option"
            aria-selected={index === current}
            className="palette__item"
            onPointerMove={() => setChosen(index)}
            onClick={() => act(entry)}
          >
            <entry.icon aria-hidden="true" />
            <span className="palette__label">{entry.label}</span>
            <span className="palette__hint">{entry.hint}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <div className="palette__none">Nothing has that in its name.</div>}
    </dialog>
  );
}

function useEntries(text: string, onHelp: () => void): readonly Entry[] {
  const { rest } = useService();
  const { can } = usePermissions();
  const [, navigate] = useLocation();
  const search = useDeferredValue(text);
  const jobs = useQuery({
    queryKey: ['jobs', 'found', search],
    queryFn: ({ signal }) =>
      rest.call('get', '/jobs', {
        query: { search, limit: JOBS_FOUND, sort_by: 'updated_at', sort_dir: 'desc' },
        signal,
      }),
    enabled: search.length > 1 && can('jobs.read'),
    placeholderData: keepPreviousData,
  });
  const workers = useQuery({ ...queries.workers(rest), enabled: can('workers.read') });
  const has = (label: string): boolean => label.toLowerCase().includes(text.toLowerCase());

  const places = NAV_ITEMS.flatMap((group) => group.places)
    .filter(({ needs, label }) => can(needs) && has(label))
    .map(({ href, label, icon, key }) => ({
      id: `place-${key}`,
      label,
      hint: `g ${key}`,
      icon,
      act: () => navigate(href),
    }));
  const deeds: Entry[] = [
    {
      id: 'theme',
      label: 'Change between light and dark',
      hint: 't',
      icon: SunMoon,
      act: changeTheme,
    },
    {
      id: 'hold',
      label: liveUpdates.isPaused() ? 'Go on with live updates' : 'Hold live updates',
      hint: '',
      icon: Pause,
      act: () => liveUpdates.pause(!liveUpdates.isPaused()),
    },
    { id: 'help', label: 'Keyboard shortcuts', hint: '?', icon: CircleHelp, act: onHelp },
  ].filter(({ label }) => has(label));
  const found =
    search.length > 1
      ? (jobs.data?.items ?? []).map((job) => ({
          id: `job-${job.id}`,
          label: job.name,
          hint: `job, ${statusStyle('job', job.status).label.toLowerCase()}`,
          icon: ListChecks,
          act: () => navigate(`/jobs/${job.id}`),
        }))
      : [];
  const hosts =
    text === ''
      ? []
      : (workers.data?.items ?? [])
          .filter(({ name, hostname }) => has(name) || has(hostname))
          .slice(0, WORKERS_FOUND)
          .map((worker) => ({
            id: `worker-${worker.id}`,
            label: worker.name,
            hint: `worker, ${statusStyle('worker', worker.status).label.toLowerCase()}`,
            icon: Server,
            act: () => navigate(`/workers/${worker.id}`),
          }));
  const byId: Entry[] = ID.test(text)
    ? [
        {
          id: 'job-by-id',
          label: `Open the job ${text}`,
          hint: 'by id',
          icon: ListChecks,
          act: () => navigate(`/jobs/${text}`),
        },
        {
          id: 'task-by-id',
          label: `Open the task ${text}`,
          hint: 'by id',
          icon: ListChecks,
          act: () => navigate(`/tasks/${encodeURIComponent(text)}`),
        },
      ]
    : [];
  return [...byId, ...places, ...found, ...hosts, ...deeds];
}
