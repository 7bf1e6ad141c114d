/** Subjects of the event channel (interface.md, "WebSocket"). */
export const JOBS = 'jobs';
