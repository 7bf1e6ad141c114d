import type { components } from '../../../http/openapi/generated.ts';

/** The resources of the REST API as the client commands read them: the contract's own types. */
type Schemas = components['schemas'];

export type Farm = Schemas['Farm'];
export type Queue = Schemas['Queue'];
export type ComputeLocation = Schemas['ComputeLocation'];
export type StorageLocation = Schemas['StorageLocation'];
export type UsagePool = Schemas['UsagePool'];
export type Job = Schemas['Job'];
export type JobDetail = Schemas['JobDetail'];
export type Step = Schemas['Step'];
export type Task = Schemas['Task'];
export type TaskExplanation = Schemas['TaskExplanation'];
export type LogChunk = Schemas['LogChunk'];
export type LogPage = Schemas['LogPage'];
export type Worker = Schemas['Worker'];
export type WorkerStanding = Schemas['WorkerStanding'];

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}
