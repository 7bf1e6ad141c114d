import { failure, ok, skipped, warning, type Finding } from './finding.ts';

const SECOND_MS = 1000;
/** Largest difference of the clocks without a warning. */
const CLOCK_DIFFERENCE_MS_MAX = 5 * SECOND_MS;

/** Response to an HTTP request, or why there is none. */
export type HttpAnswer =
  | {
      readonly ok: true;
      readonly status: number;
      /** Header `Date` in milliseconds since the epoch; null if it is missing or invalid. */
      readonly date: number | null;
      readonly text: string;
      /** Milliseconds since the epoch, by the clock of this host. */
      readonly sentAt: number;
      readonly receivedAt: number;
    }
  | { readonly ok: false; readonly reason: string };

const HTTP_OK = 200;

/** Returns the finding about `/healthz` and `/readyz`. */
export function serviceFinding(url: string, health: HttpAnswer, readiness: HttpAnswer): Finding {
  const name = 'service';
  if (!health.ok)
    return failure(
      name,
      `${url} cannot be reached: ${health.reason}`,
      'give the address of the server with --url or SVC_URL, and check that it runs and that no firewall is in between',
    );
  if (health.status !== HTTP_OK)
    return failure(
      name,
      `${url}/healthz answers with status ${health.status}`,
      health.status === 421
        ? 'add the host of this address to http.allowed_hosts of the server, or use a name that it knows'
        : 'check that this is the address of a Callsheet server',
    );
  if (!readiness.ok) return failure(name, `${url}/readyz: ${readiness.reason}`, 'see the log of the server');
  if (readiness.status !== HTTP_OK)
    return failure(
      name,
      `the server is not ready: ${unavailable(readiness.text)}`,
      'see the log of the server',
    );
  return ok(name, `${url} is ready`);
}

/** Returns the failed checks in the body of `/readyz`. */
function unavailable(text: string): string {
  const checks = memberOf(parsed(text), 'checks');
  if (typeof checks !== 'object' || checks === null) return 'it gives no reason';
  const failed = Object.entries(checks).filter(([, verdict]) => verdict !== 'ok');
  return failed.length === 0
    ? 'it is stopping'
    : failed.map(([part, why]) => `${part}: ${String(why)}`).join('; ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Returns the finding about the versions of the service and of this host. */
export const versionFinding = (service: string, own: string): Finding =>
  service === own
    ? ok('version', `${own}, as the server`)
    : warning(
        'version',
        `this host has ${own}, the server ${service}`,
        'install the version of the server on this host',
      );

/**
 * Returns the finding about the clock of this host, by the header `Date` of the service. The header has whole seconds, so
 * its time is a second long.
 */
export function clockFinding(answer: HttpAnswer): Finding {
  const name = 'clock';
  if (!answer.ok) return skipped(name, 'the server cannot be reached, so its time is unknown');
  const { date } = answer;
  if (date === null) return skipped(name, 'the answer of the server has no header Date');
  // The time of the header passed at some moment between the two times of this host.
  const ahead = Math.max(0, answer.sentAt - (date + SECOND_MS));
  const behind = Math.max(0, date - answer.receivedAt);
  const off = Math.max(ahead, behind);
  if (off <= CLOCK_DIFFERENCE_MS_MAX)
    return ok(name, `at most ${CLOCK_DIFFERENCE_MS_MAX / SECOND_MS} s from the clock of the server`);
  return warning(
    name,
    `${(off / SECOND_MS).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the server`,
    'synchronize the clocks of both hosts (chrony, systemd-timesyncd): times of logs and the expiry of credentials depend on them',
  );
}
