import { Trash2 } from 'lucide-react';
import type { WorkerToken } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { FarmName } from '../../parts/names.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { WorkerTags } from '../workers/worker-marks.tsx';
import { shortToken, tokenState, whyNotRevoked } from './token-model.ts';
import './worker-tokens.css';

/** Join tokens, without their secrets, and a button to revoke each. `forbidden` is why not; empty if it is allowed. */
export function TokenTable({
  tokens,
  now,
  forbidden,
  onRevoke,
}: {
  tokens: readonly WorkerToken[];
  /** In milliseconds since the epoch. */
  now: number;
  forbidden: string;
  onRevoke: (token: WorkerToken) => void;
}) {
  return (
    <ShortTable
      label="Join tokens"
      rows={tokens}
      rowId={({ id }) => id}
      columns={[
        { header: 'Token', cell: ({ id }) => <TokenId id={id} />, isMinor: true },
        {
          header: 'Status',
          cell: (token) => <StatusBadge kind="token" status={tokenState(token, now)} />,
        },
        {
          header: 'Farm',
          cell: ({ farm_id: farm }) =>
            farm === null ? <span className="muted">any</span> : <FarmName id={farm} />,
          isMinor: true,
        },
        { header: 'Tags', cell: (token) => <WorkerTags worker={token} />, isMinor: true },
        {
          header: 'Uses left',
          cell: ({ uses, uses_left: left }) => `${left.toLocaleString('en')} of ${uses.toLocaleString('en')}`,
        },
        { header: 'Created by', cell: ({ created_by: name }) => name, isMinor: true },
        { header: 'Created', cell: (token) => <Ago iso={token.created_at} />, isMinor: true },
        {
          header: 'Last used',
          cell: ({ last_used_at: used }) =>
            used === null ? <span className="muted">never</span> : <Ago iso={used} />,
          isMinor: true,
        },
        { header: 'Expires', cell: (token) => <Until iso={token.expires_at} /> },
        {
          header: 'Actions',
          align: 'end',
          cell: (token) => (
            <Button
              size="small"
              icon={<Trash2 aria-hidden="true" />}
              disabledReason={forbidden === '' ? whyNotRevoked(tokenState(token, now)) : forbidden}
              title={`Revoke the token ${shortToken(token.id)}`}
              onPress={() => onRevoke(token)}
            >
              Revoke
            </Button>
          ),
        },
      ]}
    />
  );
}

/** Short form of the id of a token, with the id as tooltip. */
function TokenId({ id }: { id: string }) {
  return (
    <span className="worker-tokens__id mono" title={id}>
      {shortToken(id)}
    </span>
  );
}
