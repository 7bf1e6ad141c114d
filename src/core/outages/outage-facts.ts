import { timestampOf } from '../timestamp.ts';
import { placeText, type Outage, type OutagePlace } from './outage.ts';

/** Facts of an outage as events and the REST API name them. Times are RFC 3339. */
export interface OutageFacts extends OutagePlace {
  /** `usage pool houdini`. */
  readonly place: string;
  readonly message: string;
  /** Time of the first failure. */
  readonly since: string;
  readonly held_until: string;
  /** Number of holds in a row. */
  readonly times: number;
  readonly failures: number;
  readonly jobs: number;
  readonly workers: number;
  /** The `outage_version` of the farm by which it was found. */
  readonly policy_version: number;
}

export const outageFacts = (outage: Outage): OutageFacts => ({
  kind: outage.kind,
  name: outage.name,
  place: placeText(outage),
  message: outage.message,
  since: timestampOf(outage.firstAt),
  held_until: timestampOf(outage.until),
  times: outage.times,
  failures: outage.failures,
  jobs: outage.jobs,
  workers: outage.workers,
  policy_version: outage.policyVersion,
});
