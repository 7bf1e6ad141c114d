import { threadId } from 'node:worker_threads';
import { serveProfiles } from './profile-channel.ts';
import { poolThreadName } from './thread-entry.ts';

/** The entry of a pool thread: piscina calls what is named default here. */
export { prepareTemplate as default } from './pool-task.ts';

serveProfiles(poolThreadName(threadId));
