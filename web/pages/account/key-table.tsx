import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { ApiKey } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { useNow } from '../../state/use-now.ts';
import './account-page.css';

/** API keys, without their secrets, and a button to revoke each. `forbidden` is why not; empty if it is allowed. */
export function KeyTable({
  keys,
  forbidden,
  onRevoke,
}: {
  keys: readonly ApiKey[];
  forbidden: string;
  onRevoke: (key: ApiKey) => Promise<void>;
}) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  return (
    <>
      <ShortTable
        label="API keys"
        rows={keys}
        rowId={({ id }) => id}
        columns={[
          { header: 'Name', cell: ({ name }) => <strong>{name}</strong> },
          {
            header: 'Starts with',
            cell: ({ prefix }) => <span className="account__prefix mono">{prefix}…</span>,
          },
          { header: 'Created', cell: (key) => <Ago iso={key.created_at} />, isMinor: true },
          {
            header: 'Last used',
            cell: ({ last_used_at: used }) =>
              used === null ? <span className="muted">never</span> : <Ago iso={used} />,
            isMinor: true,
          },
          { header: 'Expires', cell: ({ expires_at: end }) => <Expiry end={end} /> },
          {
            header: 'Actions',
            align: 'end',
            cell: (key) => (
              <Button
                size="small"
                icon={<Trash2 aria-hidden="true" />}
                disabledReason={forbidden}
                title={`Revoke the key ${key.name}`}
                onPress={() => setRevoking(key)}
              >
                Revoke
              </Button>
            ),
          },
        ]}
      />
      {/* The table may be in a dialog, and a form must not be in another form. */}
      {revoking !== null &&
        createPortal(
          <ConfirmDialog
            title={`Revoke the key ${revoking.name}?`}
            action="Revoke key"
            onClose={() => setRevoking(null)}
            onConfirm={() => onRevoke(revoking)}
          >
            <p>
              {`Programs that use the key ${revoking.prefix}… are refused from their next request on. A revoked key cannot be restored.`}
            </p>
          </ConfirmDialog>,
          document.body,
        )}
    </>
  );
}

function Expiry({ end }: { end: string | null }) {
  const now = useNow('half-minute');
  if (end === null) return <span className="muted">never</span>;
  if (Date.parse(end) > now) return <Until iso={end} />;
  return <span className="account__expired">expired</span>;
}
