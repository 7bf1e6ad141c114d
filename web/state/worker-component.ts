/** Prefix of the components under which workers write to the service's log (docs/diagnostics.md). */
const PREFIX = 'worker:';

/** Returns the component of a worker. */
export const workerComponent = (id: string): string => `${PREFIX}${id}`;

/** Returns the id of the worker of a component; null for the service. */
export const workerOf = (component: string): string | null =>
  component.startsWith(PREFIX) ? component.slice(PREFIX.length) : null;

/** Returns the address of a worker's log page. */
export const workerLogHref = (id: string): string =>
  `/diagnostics?component=${encodeURIComponent(workerComponent(id))}`;
