import type { components } from '../openapi/types.ts';

/** The schemas of the contract, as types. */
export type Schemas = components['schemas'];
