import { NatsConnectionImpl, type NatsConnection } from '@nats-io/transport-node';

/**
 * Writes encoded protocol frames to a connection of the NATS client, in order with its own commands. A frame is on the
 * socket before any microtask runs that the caller queues afterwards. The frames must not change any more.
 *
 * This uses an internal of the client, as `peer-address.ts` does: `protocol.sendCommand` is not part of its documented interface, but
 * `publish` would copy each message and encode each command again (docs/performance.md). The test of this file checks
 * that the members exist and keep this behavior. Run it after each update of the client.
 *
 * @throws Error if the connection is not of the expected class.
 */
export function writeRawFrames(nc: NatsConnection, frames: readonly Uint8Array[]): void {
  if (!(nc instanceof NatsConnectionImpl)) {
    throw new Error(
      'the NATS client is not the expected implementation: NatsConnectionImpl with protocol.sendCommand',
    );
  }
  const { protocol } = nc;
  for (const frame of frames) protocol.sendCommand(frame);
}
