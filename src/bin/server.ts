import type { ServerConfig } from '../core/config/server-config.ts';

/** Placeholder of this branch, so that the command compiles: the composition root takes its place. */
export function runServer(config: ServerConfig): Promise<void> {
  return Promise.reject(new Error(`not built yet: the server on ${config.http.addr.host}`));
}
