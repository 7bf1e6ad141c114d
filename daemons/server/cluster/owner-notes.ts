import { ACCOUNTS_ID } from '../../../actors/service/accounts/messages.ts';
import { AUDIT_LOG } from '../../../actors/service/audit/messages.ts';
import { replyTo, type ReplyTo } from '../../../actors/kernel/address.ts';
import type { ServiceEnvelope } from '../../../actors/service/service-messages.ts';
import { OwnerNeededError } from '../../../http/cluster/cluster-ports.ts';
import type { Actors } from '../../../http/ports.ts';
import type { NodeAnswer, NodeBus, NodeMessage } from '../../../src/adapters/nats/node-bus.ts';
import {
  FRONT_PROTOCOL_VERSION,
  parseNote,
  parseNoteAnswer,
  type NoteAnswer,
  type NoteMessage,
} from '../../../src/core/cluster/front-messages.ts';
import { refused, type Outcome } from '../../../src/core/problems.ts';

/** Time for the owner to store audit events. */
const STORED_MS = 5000;
/** A takeover takes 2 to 4 s. */
const TRIES = 10;
const TRY_AGAIN_MS = 1000;

const decoder = new TextDecoder();

/**
 * The messages to actors that a node sends without being the owner: the use of an API key, and events of the audit log. All others
 * need a request to the owner.
 *
 * @throws OwnerNeededError for the other messages, before anything is sent.
 */
export function ownerNotes(
  bus: Pick<NodeBus, 'publish' | 'request'>,
  subject: () => string,
): Pick<Actors, 'tell' | 'ask'> {
  return {
    tell: (envelope) => {
      const note = noteOf(envelope);
      // The use of a key is a hint: it is sent again at a later use.
      if (note !== null) bus.publish(subject(), JSON.stringify(note));
    },
    ask: (make) => {
      const note = noteOf(make(replyTo('note')));
      if (note === null) throw new OwnerNeededError();
      return store(bus, subject, note);
    },
  };
}

function noteOf({ actor, message }: ServiceEnvelope): NoteMessage | null {
  if (actor === 'accounts' && message.type === 'key.used')
    return { v: FRONT_PROTOCOL_VERSION, type: 'key-used', digest: message.digest };
  if (actor === 'audit' && message.type === 'audit.record')
    return { v: FRONT_PROTOCOL_VERSION, type: 'audit', events: message.events };
  return null;
}

/** The ids of the events make a repetition harmless. */
async function store<Answer>(
  bus: Pick<NodeBus, 'request'>,
  subject: () => string,
  note: NoteMessage,
): Promise<Outcome<Answer>> {
  let reason = 'no node owns the cluster';
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await bus.request(subject(), JSON.stringify(note), STORED_MS);
    const fault = faultOf(answer);
    // The reply of the only message with an answer is null.
    if (fault === null) return { ok: true, value: null as Answer };
    reason = fault;
    await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
  }
  return refused('unavailable', reason);
}

function faultOf(answer: NodeAnswer): string | null {
  if (answer.kind === 'undelivered') return 'no node owns the cluster';
  if (answer.kind === 'silent') return 'the owner of the cluster does not answer';
  const read = parseNoteAnswer(decoder.decode(answer.data));
  return read.ok ? read.value.fault : `the owner sent an invalid answer: ${read.reason}`;
}

/** Handles a note on the owner. */
export function receiveNote(
  { data, replyTo: address }: NodeMessage,
  actors: Pick<Actors, 'ask' | 'tell'>,
  answer: (address: string, text: string) => void,
): void {
  const read = parseNote(decoder.decode(data));
  const reply = (fault: string | null): void => {
    if (address !== '') answer(address, JSON.stringify({ fault } satisfies NoteAnswer));
  };
  if (!read.ok) {
    reply(read.reason);
    return;
  }
  const note = read.value;
  if (note.type === 'key-used') {
    actors.tell({ actor: 'accounts', id: ACCOUNTS_ID, message: { type: 'key.used', digest: note.digest } });
    return;
  }
  const { events } = note;
  void actors
    .ask<null>((to: ReplyTo<Outcome<null>>) => ({
      actor: 'audit',
      id: AUDIT_LOG,
      message: { type: 'audit.record', events, replyTo: to },
    }))
    .then(
      (outcome) => reply(outcome.ok ? null : outcome.problem.detail),
      (error: unknown) => reply(error instanceof Error ? error.message : String(error)),
    );
}
