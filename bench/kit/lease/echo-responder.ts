import { RawNatsClient } from '../raw-nats-client.ts';
import { ECHO_SUBJECT } from '../swarm/load-worker.ts';

/** Answers the echo requests of a swarm, in the process of the bench. */
export interface EchoResponder {
  /** Sets the size of later replies in bytes. */
  answerWith(bytes: number): void;
  stop(): void;
}

/** Connects to the server on this port, as the user with the key of the seed, and answers. */
export async function startEchoResponder(busPort: number, seed: string): Promise<EchoResponder> {
  let payload = '';
  const client: RawNatsClient = await RawNatsClient.open(
    '127.0.0.1',
    busPort,
    (_subscription, _payload, to) => {
      client.publish(to, payload);
    },
    seed,
  );
  client.subscribe(ECHO_SUBJECT, 1);
  return {
    answerWith: (bytes) => {
      payload = 'x'.repeat(bytes);
    },
    stop: () => client.close(),
  };
}
