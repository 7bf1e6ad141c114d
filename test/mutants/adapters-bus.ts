import { mutantsOf, type Mutant } from './mutant.ts';

const NATS = 'test/adapters/nats';

/** Mutants of the adapters of the bus. */
export const BUS_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'src/adapters/nats/durable-consumer.ts',
    [`${NATS}/members.test.ts`, `${NATS}/outage.test.ts`],
    [
      'messages from before the first start are lost',
      'deliver_policy: DeliverPolicy.All',
      'deliver_policy: DeliverPolicy.New',
    ],
    [
      'only the last message from before the first start is delivered',
      'deliver_policy: DeliverPolicy.All',
      'deliver_policy: DeliverPolicy.Last',
    ],
    ['messages need no acknowledgment', 'ack_policy: AckPolicy.Explicit', 'ack_policy: AckPolicy.None'],
    ['a message is delivered any number of times', '  max_deliver: plan.redelivery.deliveriesMax,\n', ''],
    [
      'a lost consumer is not created again',
      "      if (isOver(nc)) return;\n      this.#callbacks.changed({ type: 'impaired', part, reason });",
      "      this.#callbacks.changed({ type: 'impaired', part, reason });\n      if (reason !== '') return;",
    ],
  ),
  ...mutantsOf(
    'src/adapters/nats/deliveries.ts',
    [`${NATS}/members.test.ts`],
    ['a poisoned message is delivered again', '  message.term();\n  door.changed', '  door.changed'],
    ['the subject of a message is not compared', "if (fault?.kind === 'invalid') {", 'if (false) {'],
    [
      'a listener that throws ends the consumer',
      "    door.changed({ type: 'listenerFailed', subject, error });",
      '    throw error;',
    ],
  ),
  ...mutantsOf(
    'src/adapters/nats/backoff.ts',
    [`${NATS}/backoff.test.ts`],
    ['delays are not spread', 'full / 2 + (full / 2) * Math.random()', 'full'],
    [
      'delays grow without a limit',
      'Math.min(max, min * 2 ** Math.min(failures - 1, 30))',
      'min * 2 ** Math.min(failures - 1, 30)',
    ],
    ['the first delay is doubled', 'failures - 1, 30', 'failures, 30'],
  ),
  ...mutantsOf(
    'src/adapters/nats/in-flight-limit.ts',
    [`${NATS}/room.test.ts`],
    [
      'callers that wait stay outside',
      '    this.#free = { count: this.#free.count + 1, bytes: this.#free.bytes + bytes };\n    this.#admit();',
      '    this.#free = { count: this.#free.count + 1, bytes: this.#free.bytes + bytes };',
    ],
    ['the size does not count', ' || this.#free.bytes < next.bytes) return;', ') return;'],
    ['the latest caller enters first', '      this.#waiting.shift();\n', '      this.#waiting.pop();\n'],
  ),
  ...mutantsOf(
    'src/adapters/nats/request-mux.ts',
    [`${NATS}/members.test.ts`, `${NATS}/outage.test.ts`, `${NATS}/absence.test.ts`],
    [
      'a late reply is lost',
      'if (this.#unanswered.delete(token)) this.#late?.answered(message);',
      'this.#unanswered.delete(token);',
    ],
    [
      'requests over a lost connection wait for their time limit',
      "for (const token of [...this.#pending.keys()]) this.#end(token, { type: 'disconnected' });",
      '',
    ],
    [
      'no responders count as a reply',
      'const isUnheard = message.data.length === 0 && message.headers?.code === NO_RESPONDERS;',
      'const isUnheard = false;',
    ],
    ['requests share an inbox', 'const token = this.#tokens.next();', "const token = 'one';"],
  ),
  ...mutantsOf(
    'src/adapters/nats/publish-frames.ts',
    [`${NATS}/publish-frames.test.ts`],
    [
      'the length of a frame is in characters',
      '`PUB ${subject} ${Buffer.byteLength(text)}',
      '`PUB ${subject} ${text.length}',
    ],
    ['frames are taken twice', '    this.#full = [];\n', ''],
    [
      'a large message overtakes earlier ones',
      '    if (bytesMax > PIECE_BYTES) {\n      this.#endPiece();',
      '    if (bytesMax > PIECE_BYTES) {',
    ],
  ),
  ...mutantsOf(
    'src/adapters/nats/server-address.ts',
    [`${NATS}/server-address.test.ts`],
    ['port 0 is valid', 'port >= 1 && port <= PORT_MAX', 'port <= PORT_MAX'],
    ['an IPv6 address has no brackets', "host.includes(':') ? `[${host}]` : host", 'host'],
    ['one bad address of a list is left out', ' || urls.includes(null)) return null;', ') return null;'],
    [
      'a token is taken for a user',
      "name !== '' ? { token: name } : {}",
      "name !== '' ? { user: name } : {}",
    ],
    ['TLS is optional', "isTls: first.protocol === 'tls:'", 'isTls: false'],
  ),
];
