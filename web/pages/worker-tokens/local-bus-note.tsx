import type { Settings } from '../../../client/resources.ts';

/** Says so if workers on other machines do not reach the bus. */
export function LocalBusNote({ bus }: { bus: Settings['bus'] }) {
  if (!bus.is_local) return null;
  return (
    <p className="muted">
      The bus listens only on the loopback interface of the server. For workers on other machines, set{' '}
      <code>{bus.port === undefined ? 'bus.url' : 'bus.addr'}</code> of the server first.
    </p>
  );
}
