import type { FilePages, Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { standingView } from '../views/cluster-view.ts';
import type { Handler } from './operation.ts';

export const HEALTH_CHECK_BUDGET_MS = 5000;

export const getHealthz: Handler<'getHealthz'> = () => ({
  kind: 'json',
  status: 200,
  body: { status: 'ok' },
});

export const getReadyz: Handler<'getReadyz'> = async (_call, ports) => {
  const body = await readinessView(ports);
  return { kind: 'json', status: body.status === 'ok' ? 200 : 503, body };
};

/** Returns the results of the checks, after `HEALTH_CHECK_BUDGET_MS` at the latest. */
export async function readinessView(ports: Ports): Promise<Schemas['Readiness']> {
  const [store, bus] = await Promise.all([
    verdict(ports, () => ports.health.store()),
    verdict(ports, () => ports.health.bus()),
  ]);
  const { cluster } = ports;
  const fault = cluster === null ? null : cluster.fault();
  const checks = { store, bus, ...(cluster !== null && { cluster: fault ?? 'ok' }) };
  const stopping = ports.isStopping();
  const { state, logs } = ports.storePages();
  const details = {
    stopping,
    store: { state: pagesView(state), logs: pagesView(logs) },
    ...(cluster !== null && { cluster: standingView(cluster.overview(), cluster.self()) }),
  };
  const isReady = store === 'ok' && bus === 'ok' && fault === null && !stopping;
  return { status: isReady ? 'ok' : 'degraded', checks, details };
}

const pagesView = ({ fileBytes, pageBytes, usedPages, freePages }: FilePages) => ({
  file_bytes: fileBytes,
  page_bytes: pageBytes,
  used_pages: usedPages,
  free_pages: freePages,
});

/** Returns `ok` or the error, at the latest when the time budget is spent. */
async function verdict(ports: Ports, check: () => Promise<void>): Promise<string> {
  const answered = new AbortController();
  const late = ports
    .delay(HEALTH_CHECK_BUDGET_MS, answered.signal)
    .then(() => `no answer within ${HEALTH_CHECK_BUDGET_MS / 1000} s`);
  try {
    return await Promise.race([check().then(() => 'ok'), late]);
  } catch (error) {
    return error instanceof Error && error.message !== '' ? error.message : 'not reachable';
  } finally {
    answered.abort();
  }
}

export const getMetrics: Handler<'getMetrics'> = async (_call, ports) => ({
  kind: 'text',
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  text: await ports.metrics(),
});

export const getVersion: Handler<'getVersion'> = (_call, { version }) => ({
  kind: 'json',
  status: 200,
  body: {
    version: version.version,
    commit: version.commit,
    built_at: version.builtAt,
    node: version.node,
    api: '1',
  },
});
