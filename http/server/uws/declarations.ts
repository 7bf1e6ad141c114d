import type { us_listen_socket } from 'uWebSockets.js';

/** Declarations that the engine's types lack. */
declare module 'uWebSockets.js' {
  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      callback: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
  // oxlint-disable-next-line no-unused-vars -- a declaration of the module, which uws-engine.ts reads
  const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  /** Sets an undocumented option of the engine by its code. */
  function _cfg(code: string): void;
}
