import type { components } from '../openapi/generated.ts';

/** The schemas of the contract, as types. */
export type Schemas = components['schemas'];
