import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Activity, ArrowDownToLine, Download } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { DiagnosticRecord } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { At } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useInvalidateOnEvents } from '../../state/use-invalidate-on-events.ts';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { workerOf } from '../../state/worker-component.ts';
import { filterRecords, hrefOf, keyOf, LEVELS } from './records.ts';
import { useRecords } from './use-records.ts';
import './diagnostics-page.css';

const VIEW = {
  level: choiceField(LEVELS, 'DEBUG'),
  component: textField(),
  task: textField(),
  search: textField(),
};
const WORKERS = [['workers', 'first']];
const WORKERS_REFRESH_MS = 2_000;
const ROW_HEIGHT = 30;
/** The list follows new records while the scroll position is this close to the end, in pixels. */
const FOLLOW_DISTANCE = 48;

/** The log of the server and its workers, live. */
export function DiagnosticsPage() {
  const [view, setView] = useUrlState(VIEW);
  const { data, error, refetch } = useRecords();
  const shown = useMemo(() => filterRecords(data ?? [], view), [data, view]);
  const isOff = error instanceof ProblemError && error.status === 503;
  return (
    <Page
      title="Diagnostics"
      isFull
      actions={
        <Button
          icon={<Download aria-hidden="true" />}
          disabledReason={shown.length === 0 ? 'No records to save.' : ''}
          onPress={() => save(shown)}
        >
          Save as JSON lines
        </Button>
      }
    >
      <Filters view={view} setView={setView} records={data ?? []} />
      {isOff ? (
        <EmptyState title="Diagnostics are turned off" icon={Activity}>
          {error.detail}
        </EmptyState>
      ) : error !== null && data === undefined ? (
        <QueryProblem error={error} what="the log" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={12} label="Loading the log" />
      ) : shown.length === 0 ? (
        <EmptyState
          title={data.length === 0 ? 'No records yet' : 'No matching records'}
          icon={Activity}
          {...(data.length > 0 && {
            actions: (
              <Button onPress={() => setView({ level: 'DEBUG', component: '', task: '', search: '' })}>
                Clear filters
              </Button>
            ),
          })}
        >
          Records are kept in memory only and are lost when the server restarts.
        </EmptyState>
      ) : (
        <Records records={shown} />
      )}
    </Page>
  );
}

type View = ReturnType<typeof useUrlState<typeof VIEW>>[0];
type SetView = ReturnType<typeof useUrlState<typeof VIEW>>[1];

function Filters({
  view,
  setView,
  records,
}: {
  view: View;
  setView: SetView;
  records: readonly DiagnosticRecord[];
}) {
  const { rest } = useService();
  const { isOpen, began } = useFirstLoad(1);
  const workers = useQuery({ ...queries.workers(rest), enabled: isOpen });
  useInvalidateOnEvents('workers', WORKERS, WORKERS_REFRESH_MS, began);
  const components = useMemo(
    () =>
      [
        ...new Set([
          ...records.map(({ component }) => component),
          ...(view.component === '' ? [] : [view.component]),
        ]),
      ].sort(),
    [records, view.component],
  );
  const nameOf = (component: string): string => {
    const id = workerOf(component);
    return id === null
      ? component
      : `worker ${workers.data?.items.find((worker) => worker.id === id)?.name ?? id}`;
  };
  return (
    <div className="diagnostics__filters">
      <SelectField
        label="Level"
        value={view.level}
        onChange={(level) => setView({ level: LEVELS.find((one) => one === level) ?? 'DEBUG' })}
        choices={LEVELS.map((level) => ({
          value: level,
          label: level === 'ERROR' ? level : `${level} and above`,
        }))}
      />
      <SelectField
        label="Component"
        value={view.component}
        onChange={(component) => setView({ component })}
        none="All"
        choices={components.map((component) => ({ value: component, label: nameOf(component) }))}
      />
      <TextField
        label="Task ID"
        value={view.task}
        onChange={(task) => setView({ task: task.trim() }, { replace: true })}
        isMono
      />
      <SearchBox
        value={view.search}
        onChange={(search) => setView({ search }, { replace: true })}
        label="Search messages"
      />
    </div>
  );
}

/** The records. The list follows new records until the user scrolls away from its end. */
function Records({ records }: { records: readonly DiagnosticRecord[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isFollowing, setIsFollowing] = useState(true);
  const virtualizer = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
    getItemKey: (index) => keyOf(records[index] ?? { ts: '', component: String(index) }),
  });
  useEffect(() => {
    if (isFollowing && records.length > 0) virtualizer.scrollToIndex(records.length - 1, { align: 'end' });
  }, [isFollowing, records, virtualizer]);
  return (
    <>
      <div
        ref={scroller}
        className="diagnostics"
        tabIndex={0}
        role="log"
        aria-label="Records"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setIsFollowing(scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE)
        }
      >
        <ol className="diagnostics__list" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const record = records[item.index];
            return (
              record !== undefined && (
                <li
                  key={item.key}
                  ref={virtualizer.measureElement}
                  data-index={item.index}
                  className={`diagnostics__record diagnostics__record--${record.level}`}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <RecordRow record={record} />
                </li>
              )
            );
          })}
        </ol>
      </div>
      <div className="row">
        <span className="muted">{records.length.toLocaleString('en')} records</span>
        {!isFollowing && (
          <Button
            size="small"
            icon={<ArrowDownToLine aria-hidden="true" />}
            onPress={() => setIsFollowing(true)}
          >
            Jump to newest
          </Button>
        )}
      </div>
    </>
  );
}

function RecordRow({ record: { ts, level, component, msg, attrs = {} } }: { record: DiagnosticRecord }) {
  const worker = workerOf(component);
  return (
    <>
      {/* The date is in the tooltip. */}
      <At iso={ts} form="time" />
      <span className={`diagnostics__level diagnostics__level--${level}`}>{level}</span>
      {worker === null ? <span>{component}</span> : <Component id={worker} />}
      <div className="diagnostics__message">
        {msg}
        <div className="diagnostics__attributes">
          {Object.entries(attrs).map(([name, value]) => {
            const href = hrefOf(name, value);
            return (
              <span key={name}>
                {name}={href === null ? value : <Link href={href}>{value}</Link>}
              </span>
            );
          })}
        </div>
      </div>
    </>
  );
}

function Component({ id }: { id: string }) {
  const { rest } = useService();
  const { data } = useQuery(queries.workers(rest));
  return (
    <Link href={`/workers/${encodeURIComponent(id)}`} title={id}>
      {data?.items.find((worker) => worker.id === id)?.name ?? id}
    </Link>
  );
}

function save(records: readonly DiagnosticRecord[]): void {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const url = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'callsheet-diagnostics.jsonl';
  link.click();
  URL.revokeObjectURL(url);
}
