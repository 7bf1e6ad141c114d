import type { ReactNode } from 'react';
import { numberText } from '../../parts/number-text.ts';
import { Panel } from '../../parts/panel.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import type { ShareRow } from './share-rows.ts';

const SPARK = { width: 110, height: 24 };

/** Who has the cores: queues, or owners. */
export function ShareTable({
  title,
  what,
  rows,
  name,
}: {
  title: string;
  /** Of the first column. */
  what: string;
  rows: readonly ShareRow[];
  name: (key: string) => ReactNode;
}) {
  const highest = Math.max(1, ...rows.flatMap((row) => row.coresOverTime));
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <p className="muted">Nothing has run in this time.</p>
      ) : (
        <ShortTable
          label={title}
          rows={rows}
          rowId={(row) => (row.isOther ? 'others' : `=${row.key}`)}
          columns={[
            {
              header: what,
              cell: (row) => (row.isOther ? <span className="muted">all others</span> : name(row.key)),
            },
            {
              header: 'Cores now',
              cell: (row) => (
                <span className="share-table__now">
                  <span
                    className="share-table__bar"
                    aria-hidden="true"
                    title={`${Math.round(row.share * 100)} % of what is booked`}
                  >
                    <span style={{ width: `${row.share * 100}%` }} />
                  </span>
                  <span className="number">{numberText(row.coresNow)}</span>
                </span>
              ),
            },
            {
              header: 'Over time',
              isMinor: true,
              cell: (row) => (
                <Sparkline
                  values={row.coresOverTime}
                  max={highest}
                  {...SPARK}
                  label={`Cores over time: ${numberText(Math.max(0, ...row.coresOverTime))} at most`}
                />
              ),
            },
            { header: 'Done', align: 'end', cell: (row) => row.succeeded.toLocaleString('en') },
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
          ]}
        />
      )}
    </Panel>
  );
}
