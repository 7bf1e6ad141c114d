/** The attempt's own state (docs/contract/resources.md#task-attempt): open while running, then closed for good. */
export type AttemptStatus = 'running' | 'succeeded' | 'failed' | 'canceled';
