/** The bare engine as a yardstick: every request gets the same text. Prints its port. `SVC_HTTP_ENGINE` selects the engine. */
import { createServer } from 'node:http';
import { findBinary, loadBinary, thisPlatform } from '../../http/server/uws/binary.ts';

const binary = findBinary(thisPlatform());
if (binary.ok && process.env['SVC_HTTP_ENGINE'] !== 'node') {
  const engine = loadBinary(binary.file);
  engine
    .App()
    .any('/*', (response) => {
      response.end('hello');
    })
    .listen(0, (socket) => {
      if (socket === false) throw new Error('no port');
      process.stdout.write(`${engine.us_socket_local_port(socket)}\n`);
    });
} else {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': '5' }).end('hello');
  });
  server.listen(0, () => {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    process.stdout.write(`${address.port}\n`);
  });
}
