import type { MessagePort } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';

/** Control calls between threads (stop, checks): rare, each with a reply. Batched traffic uses other ports. */
export type Remote<T> = Comlink.Remote<T>;

/** Serves control calls on the port. */
export function exposeControl(api: object, port: MessagePort): void {
  Comlink.expose(api, nodeEndpoint(port));
}

/** Returns a proxy of the object that the other end of the port exposes. */
export function controlOf<T>(port: MessagePort): Remote<T> {
  return Comlink.wrap<T>(nodeEndpoint(port));
}
