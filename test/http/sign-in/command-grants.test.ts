import { createHash } from 'node:crypto';
import { test } from 'tap';
import { CommandGrants, GRANT_SECONDS } from '../../../http/sign-in/command-grants.ts';

const VERIFIER = 'v'.repeat(43);
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
const ALICE = { userId: 'alice', keyName: 'callsheet login on desk-1' };

/** Grants with a clock that a test moves. */
function grantsAt(): { readonly grants: CommandGrants; readonly move: (milliseconds: number) => void } {
  let now = 1_000;
  return {
    grants: new CommandGrants(() => now),
    move: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** The code of a new grant. */
const codeOf = (grants: CommandGrants, userId = 'alice', verifier = VERIFIER): string =>
  grants.create({ ...ALICE, userId }, challengeOf(verifier)) ?? '';

test('a code gives its grant once, to the command with the verifier', async (t) => {
  const { grants } = grantsAt();
  const code = codeOf(grants);
  t.match(code, /^[A-Za-z0-9_-]{43}$/);
  t.same(grants.redeem(code, VERIFIER), ALICE);
  t.equal(grants.redeem(code, VERIFIER), null, 'a second time it is unknown');
});

test('a wrong verifier is refused and uses the code', async (t) => {
  const { grants } = grantsAt();
  for (const verifier of ['w'.repeat(43), '', challengeOf(VERIFIER)]) {
    const code = codeOf(grants);
    t.equal(grants.redeem(code, verifier), null);
    t.equal(grants.redeem(code, VERIFIER), null);
  }
  t.equal(grants.redeem('unknown', VERIFIER), null);
});

test('a code expires after two minutes', async (t) => {
  const { grants, move } = grantsAt();
  const [first, second] = [codeOf(grants), codeOf(grants)];
  move(GRANT_SECONDS * 1000 - 1);
  t.same(grants.redeem(first, VERIFIER), ALICE);
  move(1);
  t.equal(grants.redeem(second, VERIFIER), null);
});

test('a sixth code of a user ends the first, and only of this user', async (t) => {
  const { grants } = grantsAt();
  const other = codeOf(grants, 'bob');
  const codes = Array.from({ length: 6 }, () => codeOf(grants));
  t.equal(grants.redeem(codes[0] ?? '', VERIFIER), null);
  t.ok(grants.redeem(codes[1] ?? '', VERIFIER));
  t.ok(grants.redeem(codes[5] ?? '', VERIFIER));
  t.ok(grants.redeem(other, VERIFIER));
});

test('at most 1,000 codes are open, until some expire', async (t) => {
  const { grants, move } = grantsAt();
  for (let at = 0; at < 1_000; at++) t.not(codeOf(grants, `user-${at}`), '');
  t.equal(grants.create({ userId: 'late', keyName: 'k' }, challengeOf(VERIFIER)), null);
  move(GRANT_SECONDS * 1000);
  t.not(codeOf(grants, 'late'), '');
});
