import type { Queue } from '../../client/resources.ts';
import { Panel } from './panel.tsx';
import { ShortTable, type ShortColumn } from './short-table.tsx';

type RetryRule = NonNullable<Queue['retry_rules']>[number];

/** The retry rules of an object, in the order in which they are tried; nothing without rules. */
export function RetryRuleList({
  rules,
  version,
}: {
  rules: readonly RetryRule[] | undefined;
  version?: string | undefined;
}) {
  if (rules === undefined || rules.length === 0) return null;
  return (
    <Panel title="Retry rules" beside={<span className="muted mono">{version ?? ''}</span>} isWide>
      <ShortTable label="Retry rules" columns={COLUMNS} rows={rules} rowId={({ name }) => name} />
    </Panel>
  );
}

const COLUMNS: readonly ShortColumn<RetryRule>[] = [
  { header: 'Rule', cell: ({ name }) => name },
  { header: 'Matches', cell: ({ match }) => matchText(match) },
  { header: 'Action', cell: actionText },
  {
    header: 'Most often',
    align: 'end',
    cell: ({ max_times: times }) => times?.toLocaleString('en') ?? '',
    isMinor: true,
  },
];

/** Returns the conditions of a rule as text: `exit code 70 or 71, and log matches "no license"`. */
function matchText({
  exit_codes: codes = [],
  log,
  out_of_memory: isMemory = false,
}: RetryRule['match']): string {
  return [
    ...(codes.length > 0 ? [`exit code ${codes.join(' or ')}`] : []),
    ...(log === undefined ? [] : [`log matches "${log}"`]),
    ...(isMemory ? ['out of memory'] : []),
  ].join(', and ');
}

function actionText(rule: RetryRule): string {
  const after =
    rule.backoff_seconds === undefined || rule.backoff_seconds === 0
      ? ''
      : ` after ${rule.backoff_seconds} s`;
  switch (rule.action) {
    case 'requeue':
      return `Requeue${after}${rule.pool === undefined ? '' : `, hold back pool ${rule.pool}`}`;
    case 'fail_fast':
      return 'Fail at once';
    case 'avoid_worker':
      return `Avoid the worker${after}`;
    case 'raise':
      return `Raise ${rule.amount ?? ''} by ${rule.factor ?? 1}${after}`;
  }
}
