import type { ReactNode } from 'react';
import { numberText } from '../../parts/number-text.ts';
import { Panel } from '../../parts/panel.tsx';
import { ShortTable, type ShortColumn } from '../../parts/short-table.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { ShareRow } from './share-rows.ts';

const SPARK = { width: 110, height: 24 };

/** The cores of a farm by queue, owner or project. */
export function ShareTable({
  title,
  what,
  rows,
  name,
}: {
  title: string;
  /** Header of the first column. */
  what: string;
  rows: readonly ShareRow[];
  name: (key: string) => ReactNode;
}) {
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <p className="muted">No tasks ran in this time range.</p>
      ) : (
        <ShortTable
          label={title}
          rows={rows}
          rowId={(row) => (row.isOther ? 'others' : `=${row.key}`)}
          columns={columnsOf(what, rows, name)}
        />
      )}
    </Panel>
  );
}

function columnsOf(
  what: string,
  rows: readonly ShareRow[],
  name: (key: string) => ReactNode,
): readonly ShortColumn<ShareRow>[] {
  const maxCores = Math.max(1, ...rows.flatMap((row) => row.coresOverTime));
  return [
    {
      header: what,
      cell: (row) => (row.isOther ? <span className="muted">all others</span> : name(row.key)),
    },
    { header: 'Cores now', cell: (row) => <CoresNow row={row} /> },
    {
      header: 'Over time',
      isMinor: true,
      cell: (row) => (
        <Sparkline
          values={row.coresOverTime}
          max={maxCores}
          {...SPARK}
          label={`Cores over time: at most ${numberText(Math.max(0, ...row.coresOverTime))}`}
        />
      ),
    },
    { header: 'Succeeded', align: 'end', cell: (row) => row.succeeded.toLocaleString('en') },
    {
      header: 'Failed',
      align: 'end',
      cell: (row) =>
        row.failed === 0 ? (
          <span className="muted">0</span>
        ) : (
          <strong className="farm-overview__bad">{row.failed.toLocaleString('en')}</strong>
        ),
    },
  ];
}

function CoresNow({ row: { share, coresNow } }: { row: ShareRow }) {
  return (
    <span className="share-table__now">
      <span
        className="share-table__bar"
        aria-hidden="true"
        title={`${Math.round(share * 100)} % of the booked cores`}
      >
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span className="number">{numberText(coresNow)}</span>
    </span>
  );
}
