import type { Queue } from '../../../client/resources.ts';
import { Notice } from '../../parts/notice.tsx';

const CONSEQUENCE =
  'Programs that reach the bus can act as workers of these queues, or read their tasks. Their account does not protect against that.';

/** Warns that the account of a queue protects less than it seems. */
export function QueueOnOpenBus({ queue: { isolation_warning: warning } }: { readonly queue: Queue }) {
  if (warning === undefined) return null;
  return (
    <Notice
      kind="warning"
      title="The bus has no authentication"
      detail={`${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`}
    />
  );
}

/** Warns about queues whose account protects less than it seems. */
export function OpenBusNotice({ queues }: { readonly queues: readonly Queue[] }) {
  const warned = queues.filter((queue) => queue.isolation_warning !== undefined);
  if (warned.length === 0) return null;
  return (
    <Notice
      kind="warning"
      title={`The bus has no authentication: ${warned.map(({ name }) => name).join(', ')}`}
      detail={CONSEQUENCE}
    >
      <ul>
        {warned.map(({ id, name, isolation_warning: warning }) => (
          <li key={id}>
            <strong>{name}</strong>: {warning}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
