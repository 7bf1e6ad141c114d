/** A connection of the event channel, whatever opens it. What is done to one that is gone has no effect. */
export interface SocketLike {
  send(text: string): void;
  /** Hangs up. */
  close(): void;
}

/** What happens to a connection. */
export interface SocketEvents {
  opened(): void;
  /** A message; null when it was not a text. */
  message(text: string | null): void;
  /** It is gone, or did not come about. */
  lost(reason: string): void;
}

/** Opens a connection to an address with the scheme `ws` or `wss`. */
export type Connect = (url: string, events: SocketEvents) => SocketLike;

const NORMAL = 1000;

/** Opens a connection by the WebSocket of the browser. */
export const openWebSocket: Connect = (url, events) => {
  const socket = new WebSocket(url);
  socket.onopen = () => events.opened();
  socket.onmessage = ({ data }: MessageEvent<unknown>) =>
    events.message(typeof data === 'string' ? data : null);
  // A browser says no more of a failure than that it is the end: an error is followed by the close.
  socket.onclose = ({ code, reason }) =>
    events.lost(reason === '' ? `the connection ended with ${code}` : reason);
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(NORMAL),
  };
};
