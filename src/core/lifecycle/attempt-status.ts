/** The attempt's own state (interface.md, "Task attempt"): open while running, then closed for good. */
export type AttemptStatus = 'running' | 'succeeded' | 'failed' | 'canceled';
