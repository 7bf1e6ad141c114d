import type { AuditEntry } from '../../../client/resources.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Ago } from '../../parts/time.tsx';

/** Entries of the audit log. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <ShortTable
      label="Audit log"
      rows={entries}
      rowId={({ id }) => id}
      columns={[
        { header: 'Time', cell: ({ at }) => <Ago iso={at} /> },
        {
          header: 'User',
          cell: ({ actor, actor_id: id, decision }) =>
            decision !== undefined ? (
              <span title="A decision of the server">{`queue ${decision.preemption.queue}`}</span>
            ) : actor === '' ? (
              <span className="muted">unknown</span>
            ) : (
              <strong className="audit__user" title={id ?? 'The account that was named.'}>
                {actor}
              </strong>
            ),
        },
        { header: 'Request', cell: (entry) => <Request entry={entry} /> },
        {
          header: 'Outcome',
          cell: ({ outcome, status }) => (
            <span className={`audit__outcome audit__outcome--${outcome}`}>
              {status === 0 ? outcome : `${outcome} (${status})`}
            </span>
          ),
        },
        { header: 'Targets', cell: (entry) => <Targets entry={entry} />, isMinor: true },
        { header: 'Address', cell: ({ remote_addr: address }) => address, isMinor: true },
        {
          header: 'Request ID',
          cell: ({ request_id: id }) =>
            id === '' ? null : <CopyButton text={id} label={`Copy request ID ${id}`} />,
          isMinor: true,
        },
      ]}
    />
  );
}

function Request({ entry: { method, path, operation, permission, reason = '' } }: { entry: AuditEntry }) {
  return (
    <div title={[operation, permission].filter((text) => text !== undefined && text !== '').join(', ')}>
      <span className="audit__path mono">{`${method} ${path}`}</span>
      {reason !== '' && <div className="muted">{reason}</div>}
    </div>
  );
}

const TARGETS_SHOWN = 2;

function Targets({ entry: { targets = [], target_count: count } }: { entry: AuditEntry }) {
  const more = (count ?? targets.length) - TARGETS_SHOWN;
  return (
    <span className="audit__path mono" title={targets.join('\n')}>
      {targets.slice(0, TARGETS_SHOWN).join(', ')}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}
