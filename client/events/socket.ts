/** One connection of the event channel. Calls have no effect after it is lost. */
export interface SocketLike {
  send(text: string): void;
  /** Closes the connection. */
  close(): void;
}

/** Callbacks of a connection. */
export interface SocketEvents {
  opened(): void;
  /** Receives a message; null if it is not text. */
  message(text: string | null): void;
  /** Called when the connection is lost or could not be opened. */
  lost(reason: string): void;
}

/** Opens a connection to an address with scheme `ws` or `wss`. */
export type Connect = (url: string, events: SocketEvents) => SocketLike;

const NORMAL = 1000;

/** Opens a connection with the WebSocket of the browser. */
export const openWebSocket: Connect = (url, events) => {
  const socket = new WebSocket(url);
  socket.onopen = () => events.opened();
  socket.onmessage = ({ data }: MessageEvent<unknown>) =>
    events.message(typeof data === 'string' ? data : null);
  // Browsers report failures only by the close event that follows an error.
  socket.onclose = ({ code, reason }) =>
    events.lost(reason === '' ? `the connection ended with ${code}` : reason);
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(NORMAL),
  };
};
