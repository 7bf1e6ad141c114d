import type { FarmInput } from '../../actors/service/catalog/messages.ts';
import { farmId } from '../../src/core/ids.ts';
import { outageFacts } from '../../src/core/outages/outage-facts.ts';
import {
  keepsBack,
  lastingOutages,
  NO_OUTAGES,
  placeText,
  type Outage,
  type OutageMark,
  type OutageSetting,
} from '../../src/core/outages/outage.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Schemas } from './schemas.ts';

/** Returns the fields of a farm's setting (docs/outages.md). */
export const outageSettingView = (
  setting: OutageSetting,
): Pick<
  Schemas['Farm'],
  | 'outage_holds'
  | 'outage_jobs'
  | 'outage_workers'
  | 'outage_window_seconds'
  | 'outage_hold_seconds'
  | 'outage_version'
> => ({
  outage_holds: setting.isOn,
  outage_jobs: setting.jobs,
  outage_workers: setting.workers,
  outage_window_seconds: setting.windowSeconds,
  outage_hold_seconds: setting.holdSeconds,
  outage_version: setting.version,
});

/** Returns the parts of the setting that the body sets. */
export function outageInput(body: Schemas['FarmInput']): Pick<FarmInput, 'outages'> {
  const outages: FarmInput['outages'] = {
    ...(body.outage_holds !== undefined && { isOn: body.outage_holds }),
    ...(body.outage_jobs !== undefined && { jobs: body.outage_jobs }),
    ...(body.outage_workers !== undefined && { workers: body.outage_workers }),
    ...(body.outage_window_seconds !== undefined && { windowSeconds: body.outage_window_seconds }),
    ...(body.outage_hold_seconds !== undefined && { holdSeconds: body.outage_hold_seconds }),
  };
  return Object.keys(outages).length === 0 ? {} : { outages };
}

/** Returns the outages of a farm that last. */
export function outagesOf(farm: string, store: StoreReader, now: number): Schemas['Outage'][] {
  const record = store.get('farmOutages', keys.farmOutages(farmId(farm))) ?? NO_OUTAGES;
  return lastingOutages(record, now).map((outage) => outageView(outage, now));
}

/** Returns an outage in the format of the API. */
export const outageView = (outage: Outage, now: number): Schemas['Outage'] => ({
  ...outageFacts(outage),
  status: outage.probe !== null ? 'probing' : keepsBack(outage, now) ? 'held' : 'waiting for a probe',
  ...(outage.probe !== null && { probe: { attempt_id: outage.probe.attemptId, job_id: outage.probe.jobId } }),
});

/** Returns why the failure of an attempt does not count. */
export const outageMarkView = (mark: OutageMark): Schemas['AttemptOutage'] => ({
  kind: mark.kind,
  name: mark.name,
  message: mark.message,
  policy_version: mark.policyVersion,
  sentence: `The failure belongs to an outage of ${placeText(mark)} and does not count.`,
});
