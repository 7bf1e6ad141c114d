import type { components } from '../../../http/openapi/generated.ts';

/** The resources of the REST API as the client commands read them: the contract's own types. */
type Schemas = components['schemas'];

export type Problem = Schemas['Problem'];
export type PointedError = Schemas['PointedError'];
export type Farm = Schemas['Farm'];
export type Queue = Schemas['Queue'];
export type ComputeLocation = Schemas['ComputeLocation'];
export type StorageLocation = Schemas['StorageLocation'];
export type UsagePool = Schemas['UsagePool'];
export type Job = Schemas['Job'];
export type JobStatus = Schemas['JobStatus'];
export type DryRun = Schemas['DryRun'];
export type JobDetail = Schemas['JobDetail'];
export type Step = Schemas['Step'];
export type Task = Schemas['Task'];
export type TaskStatus = Schemas['TaskStatus'];
export type TaskExplanation = Schemas['TaskExplanation'];
export type Attempt = Schemas['Attempt'];
export type LogChunk = Schemas['LogChunk'];
export type Worker = Schemas['Worker'];
export type WorkerStatus = Schemas['WorkerStatus'];

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}
