import { failure, type Finding } from '../../src/core/host-check/finding.ts';
import { reasonOf, type CheckedHost, type HostCheck } from './host-check.ts';

/**
 * Runs the checks at the same time and returns their findings in the order of the checks. A check without a result at its
 * deadline is a failure of its name, and its late result is ignored.
 */
export async function runChecks(
  checks: readonly HostCheck[],
  host: CheckedHost,
): Promise<readonly Finding[]> {
  return (await Promise.all(checks.map((check) => runCheck(check, host)))).flat();
}

async function runCheck(
  { name, deadlineMs, run }: HostCheck,
  host: CheckedHost,
): Promise<readonly Finding[]> {
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    timer = setTimeout(() => {
      deadline.abort();
      resolve([
        failure(
          name,
          `no result within ${deadlineMs / 1000} s`,
          'a file system, a directory service or a server that this check uses does not answer',
        ),
      ]);
    }, deadlineMs);
  });
  const result = run(host, deadline.signal).catch((error: unknown) => [
    failure(name, reasonOf(error), 'this error is not expected: report it with the output of this command'),
  ]);
  const findings = await Promise.race([result, late]);
  clearTimeout(timer);
  return findings;
}
