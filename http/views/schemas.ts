import type { components } from '../openapi/generated.ts';

/** Schemas of the contract as types. */
export type Schemas = components['schemas'];
