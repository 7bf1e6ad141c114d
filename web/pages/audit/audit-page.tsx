import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, RotateCw, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { ProblemError } from '../../../client/problem.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SearchBox, type SearchBoxProps } from '../../parts/search-box.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { choiceField, textField, useUrlState } from '../../state/use-url-state.ts';
import { auditQuery, OUTCOMES, type AuditFilters } from './audit-filters.ts';
import { AuditTable } from './audit-table.tsx';
import './audit-page.css';

const VIEW = {
  actor: textField(),
  outcome: choiceField(['', ...OUTCOMES], ''),
  path: textField(),
  from: textField(),
  to: textField(),
};

type AuditQuery = ReturnType<typeof auditQuery>;

function useAuditLog(query: AuditQuery) {
  const { rest } = useService();
  return useInfiniteQuery(queries.audit(rest, query));
}

/** Denied requests and changes, latest first, for administrators. */
export function AuditPage() {
  const { rest } = useService();
  const [view, setView] = useUrlState(VIEW);
  const query = useMemo(() => auditQuery(view), [view]);
  const log = useAuditLog(query);
  const { error } = log;
  const isOff = error instanceof ProblemError && error.status === 409;
  return (
    <Page
      title="Audit log"
      actions={
        <>
          <Button
            icon={<RotateCw aria-hidden="true" />}
            isBusy={log.isRefetching}
            onPress={() => void log.refetch()}
          >
            Refresh
          </Button>
          <a
            className="button"
            href={rest.url('/audit', { query: { ...query, format: 'ndjson' } }).href}
            download
          >
            <Download aria-hidden="true" />
            Export as NDJSON
          </a>
        </>
      }
    >
      {isOff ? (
        <EmptyState title="Nothing is recorded" icon={ScrollText}>
          Authentication is turned off on this server (auth.enabled).
        </EmptyState>
      ) : (
        <>
          <p className="muted">
            Requests that were denied, changes by people, and running tasks that queues have taken back.
            Latest first.
          </p>
          <Filters view={view} setView={(change) => setView(change, { replace: true })} />
          <Entries log={log} />
        </>
      )}
    </Page>
  );
}

function Filters({
  view,
  setView,
}: {
  view: AuditFilters;
  setView: (change: Partial<AuditFilters>) => void;
}) {
  return (
    <div className="audit__filters">
      <TextFilter label="User name" value={view.actor} onChange={(actor) => setView({ actor })} />
      <TextFilter
        label="Path starts with"
        placeholder="/api/v1/users"
        value={view.path}
        onChange={(path) => setView({ path })}
      />
      <SelectField
        label="Outcome"
        none="All"
        value={view.outcome}
        choices={OUTCOMES.map((outcome) => ({ value: outcome, label: outcome }))}
        onChange={(text) => setView({ outcome: OUTCOMES.find((outcome) => outcome === text) ?? '' })}
      />
      <TextField label="From" type="date" value={view.from} onChange={(from) => setView({ from })} />
      <TextField label="To" type="date" value={view.to} onChange={(to) => setView({ to })} />
    </div>
  );
}

/** A search box with a visible label, like those of the other filters. */
function TextFilter({
  label,
  placeholder = '',
  ...rest
}: Omit<SearchBoxProps, 'placeholder'> & { placeholder?: string }) {
  return (
    <div className="field">
      <span className="field__label" aria-hidden="true">
        {label}
      </span>
      <SearchBox label={label} placeholder={placeholder} {...rest} />
    </div>
  );
}

function Entries({ log }: { log: ReturnType<typeof useAuditLog> }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = log;
  if (data === undefined)
    return error === null ? (
      <SkeletonLines lines={12} label="Loading the audit log" />
    ) : (
      <QueryProblem error={error} what="the audit log" onRetry={() => void refetch()} />
    );
  const entries = data.pages.flatMap(({ items }) => items);
  return (
    <>
      {entries.length > 0 ? (
        <div className="audit__entries card">
          <AuditTable entries={entries} />
        </div>
      ) : (
        <EmptyState title="No matching entries" icon={ScrollText}>
          {hasNextPage
            ? 'None of the entries that were read matches. Older ones may.'
            : 'Change the filters. Old entries are removed.'}
        </EmptyState>
      )}
      {error !== null && (
        <QueryProblem error={error} what="older entries" onRetry={() => void fetchNextPage()} />
      )}
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            Show older entries
          </Button>
        </div>
      )}
    </>
  );
}
