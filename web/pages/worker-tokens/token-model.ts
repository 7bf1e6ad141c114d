import type { WorkerToken, WorkerTokenInput } from '../../../client/resources.ts';
import { problemsByField, problemsOf, type FormField, type Pair } from '../catalog/form-model.ts';

/** Lifetimes of a new token. */
export const LIFETIMES = [
  { value: '1h', label: 'In 1 hour' },
  { value: '24h', label: 'In 24 hours' },
  { value: '168h', label: 'In 7 days' },
  { value: '720h', label: 'In 30 days' },
  { value: '2160h', label: 'In 90 days' },
] as const;

/** The most workers that can join with one token. */
export const MAX_USES = 10_000;

/** Inputs of the form of a new token. */
interface TokenDraft {
  /** Id of the farm; empty if workers select it. */
  readonly farm: string;
  readonly tags: readonly Pair[];
  /** The text as typed. */
  readonly uses: string;
  readonly expiresIn: string;
}

const FIELDS: readonly FormField[] = [
  { name: 'farm_id', label: 'Farm', kind: 'text' },
  {
    name: 'uses',
    label: 'Number of workers',
    kind: 'integer',
    isRequired: true,
    min: 1,
    max: MAX_USES,
    whenEmpty: null,
  },
  { name: 'tags', label: 'Tags', kind: 'pairs', nameLabel: 'Tag', valueLabel: 'Value' },
  { name: 'expires_in', label: 'Expires', kind: 'text' },
];

/** The draft of a token for one worker of a farm, for a day. */
export const newDraft = (farm: string): TokenDraft => ({ farm, tags: [], uses: '1', expiresIn: '24h' });

/** Returns the problems of a draft by member of the request; empty if it can be sent. The service checks it again. */
export const draftProblems = ({ uses, tags }: TokenDraft): ReadonlyMap<string, string> =>
  problemsOf(FIELDS, { uses, tags });

/** Returns the errors of a response by member of the request. Errors of no member are under the empty name. */
export const refusals = (
  errors: readonly { readonly pointer: string; readonly detail: string }[],
): ReadonlyMap<string, string> => problemsByField(FIELDS, errors);

/** Returns the request of a draft without problems. */
export const tokenInput = ({ farm, tags, uses, expiresIn }: TokenDraft): WorkerTokenInput => ({
  farm_id: farm === '' ? null : farm,
  tags: Object.fromEntries(tags.map(({ name, value }) => [name.trim(), value.trim()])),
  uses: Number(uses),
  expires_in: expiresIn,
});

/** Status of a token; the service lists expired ones no longer, but a page may still show one. */
type TokenState = WorkerToken['status'] | 'expired';

/** Returns the status of a token at `now`, in milliseconds since the epoch. */
export const tokenState = (
  { status, expires_at: end }: Pick<WorkerToken, 'status' | 'expires_at'>,
  now: number,
): TokenState => (status !== 'revoked' && Date.parse(end) <= now ? 'expired' : status);

/** Returns why a token cannot be revoked; empty if it can. */
export const whyNotRevoked = (state: TokenState): string =>
  state === 'revoked' ? 'The token is already revoked.' : state === 'expired' ? 'The token has expired.' : '';

const SHORT = 8;

/** Returns a short form of an id. Ids begin with their time, so their ends differ more. */
export const shortToken = (id: string): string => (id.length > SHORT ? `…${id.slice(-SHORT)}` : id);
