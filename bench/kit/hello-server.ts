/** The bare engine as a yardstick: every request gets the same text. Prints its port. */
import * as engine from 'uWebSockets.js';

engine
  .App()
  .any('/*', (response) => {
    response.end('hello');
  })
  .listen(0, (socket) => {
    if (socket === false) throw new Error('no port');
    process.stdout.write(`${engine.us_socket_local_port(socket)}\n`);
  });
