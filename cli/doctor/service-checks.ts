import { httpAnswer } from '../../src/adapters/host/http-answer.ts';
import { skipped, type Finding } from '../../src/core/host-check/finding.ts';
import { clockFinding, serviceFinding, versionFinding } from '../../src/core/host-check/service-findings.ts';
import { reasonOf, type CheckedHost, type HostCheck } from './host-check.ts';

/** The service has 5 s for each of its own checks (docs/contract/rest.md#public-routes). */
const ANSWER_MS = 10_000;

async function checkService({ client }: CheckedHost, signal: AbortSignal): Promise<readonly Finding[]> {
  const health = await httpAnswer(`${client.firstUrl}/healthz`, signal);
  const readiness = health.ok ? await httpAnswer(`${client.firstUrl}/readyz`, signal) : health;
  return [serviceFinding(client.firstUrl, health, readiness)];
}

async function checkVersion({ client, version }: CheckedHost): Promise<readonly Finding[]> {
  try {
    return [versionFinding((await client.call('get', '/version')).version, version)];
  } catch (error) {
    return [skipped('version', `the server does not give its version: ${reasonOf(error)}`)];
  }
}

const checkClock = async ({ client }: CheckedHost, signal: AbortSignal): Promise<readonly Finding[]> => [
  clockFinding(await httpAnswer(`${client.firstUrl}/healthz`, signal)),
];

/** Checks of the service and the clock. */
export const SERVICE_CHECKS: readonly HostCheck[] = [
  { name: 'service', deadlineMs: 2 * ANSWER_MS, run: checkService },
  { name: 'version', deadlineMs: ANSWER_MS, run: checkVersion },
  { name: 'clock', deadlineMs: ANSWER_MS, run: checkClock },
];
