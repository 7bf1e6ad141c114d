/** Rules of `callsheet doctor` (docs/host-check.md): pure verdicts on facts that the command has collected. */

export type FindingStatus = 'ok' | 'warning' | 'failure' | 'skipped';

/** Result of one check of a host. */
export interface Finding {
  readonly name: string;
  readonly status: FindingStatus;
  /** Facts that were found, or why the check was skipped. */
  readonly found: string;
  /** Instruction for the operator; empty if there is nothing to do. */
  readonly fix: string;
}

export const ok = (name: string, found: string): Finding => ({ name, status: 'ok', found, fix: '' });

export const warning = (name: string, found: string, fix: string): Finding => ({
  name,
  status: 'warning',
  found,
  fix,
});

export const failure = (name: string, found: string, fix: string): Finding => ({
  name,
  status: 'failure',
  found,
  fix,
});

/** `fix`: what makes the check possible; empty if it does not apply to this host. */
export const skipped = (name: string, found: string, fix = ''): Finding => ({
  name,
  status: 'skipped',
  found,
  fix,
});

/** Reports whether the host can go into service: no finding is a failure. */
export const isFit = (findings: readonly Finding[]): boolean =>
  findings.every(({ status }) => status !== 'failure');

/** Returns the number of findings of each status. */
export function countFindings(findings: readonly Finding[]): Readonly<Record<FindingStatus, number>> {
  const counts = { ok: 0, warning: 0, failure: 0, skipped: 0 };
  for (const { status } of findings) counts[status]++;
  return counts;
}
