import type { operations } from './generated.ts';

/** What a handler of an operation gets and gives, with the types of the contract. */
export type OperationId = keyof operations;
