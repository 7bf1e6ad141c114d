import { WebSocket } from 'ws';
import type { Connect } from '../events/socket.ts';

/** Maximum size of a message; messages of the service are much smaller. */
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Time to wait for the service to complete a close. */
const CLOSE_MS_MAX = 2_000;
const NORMAL = 1000;

const OPTIONS = { perMessageDeflate: false, maxPayload: MESSAGE_BYTES_MAX, closeTimeout: CLOSE_MS_MAX };

/**
 * Opens connections of the event channel with `ws`: Node 20 has no WebSocket, and that of later versions supports no
 * headers and reports no reasons.
 */
export function connectWith(headers: Readonly<Record<string, string>>): Connect {
  return (url, events) => {
    const socket = new WebSocket(url, { ...OPTIONS, headers });
    let fault = '';
    socket.on('open', () => events.opened());
    socket.on('message', (data, isBinary) =>
      events.message(!isBinary && Buffer.isBuffer(data) ? data.toString() : null),
    );
    // The close event follows.
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
