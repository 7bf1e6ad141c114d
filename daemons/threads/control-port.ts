import type { MessagePort } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';

/** Control calls between threads (start, stop, checks): rare, each with an answer. Traffic goes over its own ports, batched. */
export type Remote<T> = Comlink.Remote<T>;

/** Answers control calls that come over the port. */
export function exposeControl(api: object, port: MessagePort): void {
  Comlink.expose(api, nodeEndpoint(port));
}

/** Calls what the other end of the port exposes. */
export function controlOf<T>(port: MessagePort): Remote<T> {
  return Comlink.wrap<T>(nodeEndpoint(port));
}
