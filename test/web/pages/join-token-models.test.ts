import { test } from 'tap';
import {
  credentialState,
  revocationText,
  whyNotRevocable,
} from '../../../web/pages/worker/credential-model.ts';
import { joinMethod } from '../../../web/pages/worker-tokens/join-method.ts';
import {
  draftProblems,
  newDraft,
  refusals,
  shortToken,
  tokenInput,
  tokenState,
  whyNotRevoked,
} from '../../../web/pages/worker-tokens/token-model.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const PAST = '2026-11-30T11:59:59Z';
const FUTURE = '2026-11-30T12:00:01Z';

test('workers join with a token only on a managed bus with authentication', (t) => {
  const of = (authenticated?: boolean, port?: number): string =>
    joinMethod({
      urls: [],
      is_local: false,
      ...(authenticated !== undefined && { authenticated }),
      ...(port !== undefined && { port }),
    });
  t.equal(of(true, 14222), 'token');
  t.equal(of(true), 'user', 'an external bus has no tokens');
  t.equal(of(false, 14222), 'open');
  t.equal(of(false), 'open');
  t.equal(of(), 'unknown', 'the check of an external bus has had no result');
  t.end();
});

test('a draft is for one worker of the farm, and is checked before it is sent', (t) => {
  const draft = newDraft('f1');
  t.equal(draftProblems(draft).size, 0);
  t.strictSame(tokenInput(draft), { farm_id: 'f1', tags: {}, uses: 1, expires_in: '24h' });
  t.equal(tokenInput(newDraft('')).farm_id, null, 'workers select the farm');

  const problem = (change: Partial<typeof draft>, member: string): string =>
    draftProblems({ ...draft, ...change }).get(member) ?? '';
  t.equal(problem({ uses: '' }, 'uses'), 'Number of workers is required.');
  t.equal(problem({ uses: '1.5' }, 'uses'), 'Enter a whole number.');
  t.equal(problem({ uses: '1e3' }, 'uses'), 'Enter a whole number.');
  t.equal(problem({ uses: '0' }, 'uses'), 'Must be at least 1.');
  t.equal(problem({ uses: '-4' }, 'uses'), 'Must be at least 1.');
  t.equal(problem({ uses: '10001' }, 'uses'), 'Must be at most 10,000.');
  t.equal(problem({ uses: '10000' }, 'uses'), '');
  t.match(problem({ tags: [{ name: 'rack', value: ' ' }] }, 'tags'), /a tag and a value/);
  t.equal(
    problem(
      {
        tags: [
          { name: 'rack', value: 'a1' },
          { name: ' rack', value: 'a2' },
        ],
      },
      'tags',
    ),
    'Duplicate tag: rack.',
  );
  t.strictSame(tokenInput({ ...draft, uses: ' 20 ', tags: [{ name: ' rack ', value: ' a1 ' }] }), {
    farm_id: 'f1',
    tags: { rack: 'a1' },
    uses: 20,
    expires_in: '24h',
  });
  t.end();
});

test('refusals of the service are at their inputs', (t) => {
  const found = refusals([
    { pointer: '/tags', detail: '"a b" is not a name of a tag' },
    { pointer: '/tags/rack', detail: 'too long' },
    { pointer: '/farm_id', detail: 'does not exist' },
    { pointer: '/other', detail: 'is unknown' },
  ]);
  t.equal(found.get('tags'), '"a b" is not a name of a tag\nrack: too long');
  t.equal(found.get('farm_id'), 'does not exist');
  t.equal(found.get(''), '/other: is unknown');
  t.end();
});

test('the state of a token includes its end', (t) => {
  t.equal(tokenState({ status: 'active', expires_at: FUTURE }, NOW), 'active');
  t.equal(tokenState({ status: 'active', expires_at: PAST }, NOW), 'expired');
  t.equal(tokenState({ status: 'used_up', expires_at: FUTURE }, NOW), 'used_up');
  t.equal(tokenState({ status: 'used_up', expires_at: PAST }, NOW), 'expired');
  t.equal(tokenState({ status: 'revoked', expires_at: PAST }, NOW), 'revoked', 'a revocation stays visible');
  t.equal(whyNotRevoked('active'), '');
  t.equal(whyNotRevoked('used_up'), '');
  t.equal(whyNotRevoked('expired'), 'The token has expired.');
  t.equal(whyNotRevoked('revoked'), 'The token is already revoked.');
  t.end();
});

test('tokens of the same minute have different short ids', (t) => {
  const [first, second] = ['019ac0f2-1111-7000-8000-0000aaaa0001', '019ac0f2-1111-7000-8000-0000aaaa0002'];
  t.not(shortToken(first), shortToken(second));
  t.equal(shortToken(first), '…aaaa0001');
  t.equal(shortToken('short'), 'short');
  t.end();
});

test('a credential is valid until it expires or is revoked', (t) => {
  t.equal(credentialState({ revoked: false, expires_at: FUTURE }, NOW), 'valid');
  t.equal(credentialState({ revoked: false, expires_at: PAST }, NOW), 'expired');
  t.equal(credentialState({ revoked: true, expires_at: FUTURE }, NOW), 'revoked');
  t.equal(whyNotRevocable({ revoked: false }, 'token'), '');
  t.equal(whyNotRevocable({ revoked: false }, null), '', 'the service decides');
  t.equal(whyNotRevocable({ revoked: true }, 'token'), 'The credential is already revoked.');
  t.match(whyNotRevocable({ revoked: false }, 'open'), /bus\.auth\.enabled/);
  t.end();
});

test('the confirmation of a revocation says what happens to current tasks', (t) => {
  t.match(revocationText(0), /disconnected at once and cannot connect again\. It needs a new join token/);
  t.match(revocationText(1), /Its current task runs again on another worker\. It needs/);
  t.match(revocationText(1200), /Its 1,200 current tasks run again on other workers\./);
  t.end();
});
