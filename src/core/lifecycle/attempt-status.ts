/**
 * Status of an attempt (docs/contract/resources.md#task-attempt). `running` is the only open status. The others are
 * terminal.
 */
export type AttemptStatus = 'running' | 'succeeded' | 'failed' | 'canceled';
