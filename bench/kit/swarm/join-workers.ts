import { parseJoinReply, type JoinMessage } from '../../../src/core/wire/join-messages.ts';
import { parseJoinToken } from '../../../src/adapters/identity/join-token-text.ts';
import { pinnedAuthority } from '../../../src/adapters/nats/pinned-authority.ts';
import type { JoinToken } from '../../../src/core/bus-identity/join-token.ts';
import { bearerAccess, userAccess } from '../connect-line.ts';
import { createNatsUser, type NatsUser } from '../nats-user.ts';
import { credentialIdentity, randomToken, type SwarmIdentity } from './identity.ts';
import { NatsSocket } from './nats-socket.ts';

/** Requests in progress. The service accepts 256. */
const AT_ONCE = 100;
const PIN_MS = 5_000;
const REPLIES = 1;

/**
 * Exchanges a token for a credential of each name, in their order, by the requests of real workers on one connection. Throws if one is
 * refused.
 */
export async function joinWorkers(
  busPort: number,
  tokenText: string,
  names: readonly string[],
): Promise<SwarmIdentity[]> {
  const parsed = parseJoinToken(tokenText);
  if (!parsed.ok) throw new Error(`the join token is invalid: ${parsed.reason}`);
  const token = parsed.value;
  const ca = await pinnedAuthority({ host: '127.0.0.1', port: busPort }, token.c, PIN_MS);
  return new Promise((resolve, reject) => {
    const joined: SwarmIdentity[] = [];
    let left = names.length;
    /** By the key of their request, with the number of their name. */
    const waiting = new Map<string, { readonly user: NatsUser; readonly nth: number }>();
    const inbox = `_INBOX.${token.i}.${randomToken()}`;
    let next = 0;
    const send = (socket: NatsSocket): void => {
      for (; waiting.size < AT_ONCE && next < names.length; next++) {
        const user = createNatsUser();
        waiting.set(user.publicKey, { user, nth: next });
        socket.write(request(token, names[next] ?? '', user.publicKey, `${inbox}.${randomToken()}`));
      }
    };
    const received = (text: string): void => {
      const reply = parseJoinReply(text);
      if (!reply.ok) throw new Error(`the reply to a join cannot be read: ${reply.reason}`);
      if (reply.value.type === 'refused') throw new Error(`a worker cannot join: ${reply.value.reason}`);
      const { jwt, worker_id } = reply.value;
      const asked = jwt === null ? undefined : waiting.get(keyOf(jwt));
      if (jwt === null || asked === undefined) throw new Error('the reply to a join is of no request');
      waiting.delete(asked.user.publicKey);
      joined[asked.nth] = credentialIdentity(worker_id, userAccess(jwt, asked.user, ca));
      left -= 1;
    };
    const opening = NatsSocket.open(
      busPort,
      {
        message: (_subscription, data, start, end) => {
          try {
            received(data.toString('utf8', start, end));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
          void opening.then((socket) => {
            if (left > 0) send(socket);
            else socket.close();
          });
          if (left === 0) resolve(joined);
        },
        closed: (error) => reject(error ?? new Error('the bus closed the connection of a join')),
      },
      bearerAccess(token.j, ca),
    );
    opening.then((socket) => {
      socket.write(`SUB ${inbox}.* ${REPLIES}\r\n`);
      send(socket);
    }, reject);
  });
}

function request(token: JoinToken, name: string, nkey: string, inbox: string): string {
  const message: JoinMessage = { v: 1, type: 'join', token_id: token.i, secret: token.s, name, nkey };
  const body = JSON.stringify(message);
  return `PUB service.join.${token.i} ${inbox} ${Buffer.byteLength(body)}\r\n${body}\r\n`;
}

/** Returns the key for which a JWT was made. */
function keyOf(jwt: string): string {
  const claims: unknown = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return '';
  return typeof claims.sub === 'string' ? claims.sub : '';
}
