import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleHelp, ListChecks, Pause, Server, SunMoon, type LucideIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState, type RefObject } from 'react';
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

interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

/** Command palette: finds pages, jobs, workers and commands by name. Opens with Ctrl K. */
export function Palette({ onClose, onHelp }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const entries = useEntries(text.trim(), onHelp);
  const current = Math.min(chosen, entries.length - 1);
  useModal(dialog);
  const act = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.act();
  };
  const optionId = (entry: Entry): string => `${listId}-${entry.id}`;
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Command palette"
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
        aria-label="Search pages, jobs, workers, and commands"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries[current] === undefined ? undefined : optionId(entries[current])}
        placeholder="Search pages, jobs, workers, and commands"
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
      <ul id={listId} className="palette__list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          <Option
            key={entry.id}
            id={optionId(entry)}
            entry={entry}
            isSelected={index === current}
            onPoint={() => setChosen(index)}
            onAct={() => act(entry)}
          />
        ))}
      </ul>
      {entries.length === 0 && <div className="palette__none">No results.</div>}
    </dialog>
  );
}

/** Shows a modal dialog while the component is mounted, then returns the focus. */
function useModal(dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const opener = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, [dialog]);
}

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isSelected: boolean;
  readonly onPoint: () => void;
  readonly onAct: () => void;
}

function Option({ id, entry, isSelected, onPoint, onAct }: OptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isSelected}
      className="palette__item"
      onPointerMove={onPoint}
      onClick={onAct}
    >
      <entry.icon aria-hidden="true" />
      <span className="palette__label">{entry.label}</span>
      <span className="palette__hint">{entry.hint}</span>
    </li>
  );
}

/** Returns the entries that match `text`, ids first. */
function useEntries(text: string, onHelp: () => void): readonly Entry[] {
  const { can } = usePermissions();
  const [, navigate] = useLocation();
  const has = (label: string): boolean => label.toLowerCase().includes(text.toLowerCase());
  const jobs = useJobEntries(text, navigate);
  const workers = useWorkerEntries(text, has, navigate);
  const pages = NAV_ITEMS.flatMap((group) => group.items)
    .filter(({ needs, label }) => can(needs) && has(label))
    .map(({ href, label, icon, key }) => ({
      id: `place-${key}`,
      label,
      hint: `g ${key}`,
      icon,
      act: () => navigate(href),
    }));
  const commands = commandEntries(onHelp).filter(({ label }) => has(label));
  return [...idEntries(text, navigate), ...pages, ...jobs, ...workers, ...commands];
}

type Navigate = (href: string) => void;

function useJobEntries(text: string, navigate: Navigate): readonly Entry[] {
  const { rest } = useService();
  const { can } = usePermissions();
  const search = useDeferredValue(text);
  const { data } = useQuery({
    queryKey: ['jobs', 'found', search],
    queryFn: ({ signal }) =>
      rest.call('get', '/jobs', {
        query: { search, limit: JOBS_FOUND, sort_by: 'updated_at', sort_dir: 'desc' },
        signal,
      }),
    enabled: search.length > 1 && can('jobs.read'),
    placeholderData: keepPreviousData,
  });
  if (search.length <= 1) return [];
  return (data?.items ?? []).map((job) => ({
    id: `job-${job.id}`,
    label: job.name,
    hint: `job, ${statusStyle('job', job.status).label.toLowerCase()}`,
    icon: ListChecks,
    act: () => navigate(`/jobs/${job.id}`),
  }));
}

function useWorkerEntries(
  text: string,
  has: (label: string) => boolean,
  navigate: Navigate,
): readonly Entry[] {
  const { rest } = useService();
  const { can } = usePermissions();
  const { data } = useQuery({ ...queries.workers(rest), enabled: can('workers.read') });
  if (text === '') return [];
  return (data?.items ?? [])
    .filter(({ name, hostname }) => has(name) || has(hostname))
    .slice(0, WORKERS_FOUND)
    .map((worker) => ({
      id: `worker-${worker.id}`,
      label: worker.name,
      hint: `worker, ${statusStyle('worker', worker.status).label.toLowerCase()}`,
      icon: Server,
      act: () => navigate(`/workers/${worker.id}`),
    }));
}

const commandEntries = (onHelp: () => void): readonly Entry[] => [
  {
    id: 'theme',
    label: 'Switch between light and dark theme',
    hint: 't',
    icon: SunMoon,
    act: changeTheme,
  },
  {
    id: 'hold',
    label: liveUpdates.isPaused() ? 'Resume live updates' : 'Pause live updates',
    hint: '',
    icon: Pause,
    act: () => liveUpdates.pause(!liveUpdates.isPaused()),
  },
  { id: 'help', label: 'Keyboard shortcuts', hint: '?', icon: CircleHelp, act: onHelp },
];

/** Entries that open the job or the task with a given id. */
function idEntries(text: string, navigate: Navigate): readonly Entry[] {
  if (!ID.test(text)) return [];
  return [
    {
      id: 'job-by-id',
      label: `Open job ${text}`,
      hint: 'by id',
      icon: ListChecks,
      act: () => navigate(`/jobs/${text}`),
    },
    {
      id: 'task-by-id',
      label: `Open task ${text}`,
      hint: 'by id',
      icon: ListChecks,
      act: () => navigate(`/tasks/${encodeURIComponent(text)}`),
    },
  ];
}
