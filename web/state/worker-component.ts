/** Under which a worker writes to the log of the service (docs/diagnostics.md). */
const PREFIX = 'worker:';

/** The component of a worker. */
export const workerComponent = (id: string): string => `${PREFIX}${id}`;

/** The worker of a component; null for the service. */
export const workerOf = (component: string): string | null =>
  component.startsWith(PREFIX) ? component.slice(PREFIX.length) : null;

/** The page of what a worker has logged. */
export const workerLogHref = (id: string): string =>
  `/diagnostics?component=${encodeURIComponent(workerComponent(id))}`;
