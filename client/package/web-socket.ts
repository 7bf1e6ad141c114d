import { WebSocket } from 'ws';
import type { Connect } from '../events/socket.ts';

/** A message of the service is far shorter. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** A service that does not answer a goodbye is hung up on. */
const CLOSE_MS_MAX = 2_000;
const NORMAL = 1000;

const OPTIONS = { perMessageDeflate: false, maxPayload: MESSAGE_BYTES_MAX, closeTimeout: CLOSE_MS_MAX };

/** Connections of the event channel by `ws`: Node 20 has none of its own, and later ones take no headers and do not say why they fail. */
export function connectWith(headers: Readonly<Record<string, string>>): Connect {
  return (url, events) => {
    const socket = new WebSocket(url, { ...OPTIONS, headers });
    let fault = '';
    socket.on('open', () => events.opened());
    socket.on('message', (data, isBinary) =>
      events.message(!isBinary && Buffer.isBuffer(data) ? data.toString() : null),
    );
    // The close comes after it.
    socket.on('error', (error) => {
      fault = error.message;
    });
    socket.on('close', (code, reason) => {
      const said = reason.toString();
      events.lost(said !== '' ? said : fault !== '' ? fault : `the connection ended with ${code}`);
    });
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      close: () => socket.close(NORMAL),
    };
  };
}
