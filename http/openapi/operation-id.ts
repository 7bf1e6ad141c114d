import type { operations } from './generated.ts';

/** Id of an operation of the contract. */
export type OperationId = keyof operations;
