/** The directories of the attacks on identities (T14). */
import { equal, match, ok } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExternalIdentity } from '../../../src/core/access/external-identity.ts';
import type { DirectoryAnswer } from '../../../src/core/ports/directory.ts';
import { makeCertificates } from '../../kit/certificates.ts';
import { startEndpoint, type Endpoint } from '../../kit/ldap-endpoints.ts';
import { PEOPLE, SERVICE, Slapd, slapdGroup, slapdUser, type SlapdEntry } from '../../kit/slapd.ts';

export const PASSWORD = 'the same secret';

export interface ConfusionWorld {
  /** Has TLS with a certificate for the loopback. */
  readonly server: Slapd;
  /** Has TLS with a certificate for another host. */
  readonly impostor: Slapd;
  /** Has the same users as `server`. It has no TLS, and tests may suspend it. */
  readonly fragile: Slapd;
  /** Where the referrals of `server` lead. */
  readonly attacker: Endpoint;
  /** Files with another authority, with text, and one that does not exist. */
  readonly files: { readonly otherCa: string; readonly garbage: string; readonly missing: string };
}

const dnOf = (uid: string): string => slapdUser(uid, null).dn;

function entriesWith(referral: string): SlapdEntry[] {
  const inner = (name: string): SlapdEntry => ({
    dn: `ou=${name},${PEOPLE}`,
    attributes: { objectClass: ['organizationalUnit'], ou: [name] },
  });
  return [
    slapdUser('alice', PASSWORD, { displayName: ['Alice A'], departmentNumber: ['4711'] }),
    slapdUser('mary ann', PASSWORD),
    slapdUser('bob', PASSWORD, { mail: ['alice'], departmentNumber: ['1', '2'] }),
    slapdUser('nogroup', PASSWORD),
    slapdUser('binary', PASSWORD, { audio: [Buffer.from([0, 255, 254, 1])] }),
    slapdUser('nested', PASSWORD),
    inner('a'),
    inner('b'),
    slapdUser('dup', PASSWORD, {}, `ou=a,${PEOPLE}`),
    slapdUser('dup', 'another secret', {}, `ou=b,${PEOPLE}`),
    slapdGroup('operators', [dnOf('alice')]),
    slapdGroup('artists', [dnOf('bob'), dnOf('mary ann')]),
    slapdGroup('admins', [dnOf('bob')]),
    slapdGroup('comma, plus+', [dnOf('mary ann')]),
    slapdGroup('inner', [dnOf('nested')]),
    slapdGroup('outer', [slapdGroup('inner', []).dn]),
    {
      dn: `uid=refer,${PEOPLE}`,
      attributes: { objectClass: ['referral', 'extensibleObject'], uid: ['refer'], ref: [referral] },
    },
  ];
}

/** Starts the servers, calls `use`, and stops them. */
export async function withConfusionWorld<T>(use: (world: ConfusionWorld) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-ldap-'));
  const closing: (() => Promise<void>)[] = [];
  const keep = <S>(started: S, close: (started: S) => Promise<void>): S => {
    closing.push(() => close(started));
    return started;
  };
  try {
    const attacker = keep(await startEndpoint((socket) => socket.resume()), (each) => each.close());
    const entries = entriesWith(`${attacker.url}/${PEOPLE}`);
    const start = async (names: string | null): Promise<Slapd> =>
      keep(await Slapd.start({ entries, config: [`referral ${attacker.url}`], names }), (each) =>
        each.stop(),
      );
    const server = await start('IP:127.0.0.1,DNS:localhost');
    const impostor = await start('DNS:directory.example,IP:127.0.0.9');
    const fragile = await start(null);
    mkdirSync(join(folder, 'other'));
    const garbage = join(folder, 'garbage.pem');
    writeFileSync(garbage, 'no certificate\n');
    const files = {
      otherCa: makeCertificates(join(folder, 'other')).ca,
      garbage,
      missing: join(folder, 'missing.pem'),
    };
    return await use({ server, impostor, fragile, attacker, files });
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function accepted(answer: DirectoryAnswer): ExternalIdentity {
  ok(answer.kind === 'accepted', JSON.stringify(answer));
  return answer.identity;
}

export function refused(answer: DirectoryAnswer, reason: RegExp): void {
  equal(answer.kind, 'refused', JSON.stringify(answer));
  match('reason' in answer ? answer.reason : '', reason);
}

/** Expects that no server could answer, and that the reason contains no password. */
export function unavailable(answer: DirectoryAnswer, reason: RegExp): void {
  equal(answer.kind, 'unavailable', JSON.stringify(answer));
  const text = 'reason' in answer ? answer.reason : '';
  match(text, reason);
  ok(!text.includes(PASSWORD) && !text.includes(SERVICE.password), text);
}

/** Expects that a server in the place of the directory got no password. */
export function gotNoPassword(endpoint: Endpoint): void {
  const received = endpoint.received();
  ok(!received.includes(PASSWORD) && !received.includes(SERVICE.password), 'a password was sent');
}
