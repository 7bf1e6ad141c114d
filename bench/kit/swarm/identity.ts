import { randomBytes, randomUUID } from 'node:crypto';
import { workerId, type WorkerId } from '../../../src/core/ids.ts';
import {
  inboxRootOf,
  INBOX_ROOT,
  scopedSubjects,
  subjects,
  type WorkerSubjects,
} from '../../../src/core/wire/subjects.ts';
import { ANONYMOUS, type BusAccess } from '../connect-line.ts';

/** Who a worker of a swarm is on the bus. */
export interface SwarmIdentity {
  readonly id: WorkerId;
  readonly subjects: WorkerSubjects;
  /** Start of its inboxes: one token follows. */
  readonly inbox: string;
  readonly access: BusAccess;
}

const INBOX_BYTES = 17;

/** A worker without credentials. */
export const anonymousIdentity = (): SwarmIdentity => ({
  id: workerId(randomUUID()),
  subjects,
  inbox: `${INBOX_ROOT}.${randomToken()}`,
  access: ANONYMOUS,
});

/** A worker with a credential: its subjects name it. */
export const credentialIdentity = (id: WorkerId, access: BusAccess): SwarmIdentity => ({
  id,
  subjects: scopedSubjects(id),
  inbox: `${inboxRootOf(id)}.${randomToken()}`,
  access,
});

/** A token of an inbox, as long as that of a real worker. */
export const randomToken = (): string => randomBytes(INBOX_BYTES).toString('base64url');
