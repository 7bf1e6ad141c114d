import type { Ports } from '../ports.ts';
import type { Handler } from './operation.ts';

export const HEALTH_CHECK_BUDGET_MS = 5000;

export const getHealthz: Handler<'getHealthz'> = () => ({
  kind: 'json',
  status: 200,
  body: { status: 'ok' },
});

export const getReadyz: Handler<'getReadyz'> = async (_call, ports) => {
  const [store, bus] = await Promise.all([
    verdict(ports, () => ports.health.store()),
    verdict(ports, () => ports.health.bus()),
  ]);
  const checks = { store, bus };
  return store === 'ok' && bus === 'ok'
    ? { kind: 'json', status: 200, body: { status: 'ok', checks } }
    : { kind: 'json', status: 503, body: { status: 'degraded', checks } };
};

/** `ok`, or what is wrong; at the latest when the budget is spent. */
async function verdict(ports: Ports, check: () => Promise<void>): Promise<string> {
  const answered = new AbortController();
  const late = ports
    .delay(HEALTH_CHECK_BUDGET_MS, answered.signal)
    .then(() => `no answer within ${HEALTH_CHECK_BUDGET_MS / 1000} s`);
  try {
    return await Promise.race([check().then(() => 'ok'), late]);
  } catch (error) {
    return error instanceof Error && error.message !== '' ? error.message : 'cannot be reached';
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
