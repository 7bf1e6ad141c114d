import {
  JOIN_TOKEN_LENGTH_MAX,
  JOIN_TOKEN_START,
  readJoinToken,
  type JoinToken,
} from '../../core/bus-identity/join-token.ts';
import { messageParser } from '../../core/wire/field-readers.ts';
import type { Parsed } from '../../core/wire/json-text.ts';

const NESTING = 3;
const parse = messageParser(readJoinToken, { length: JOIN_TOKEN_LENGTH_MAX, nesting: NESTING });
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Returns the text of a token, which a worker gets. */
export const joinTokenText = (token: JoinToken): string =>
  JOIN_TOKEN_START + Buffer.from(JSON.stringify(token), 'utf8').toString('base64url');

/** Parses the text of a token. Spaces and line feeds around it are ignored. The reason contains nothing of the text. */
export function parseJoinToken(text: string): Parsed<JoinToken> {
  const trimmed = text.trim();
  const body = trimmed.slice(JOIN_TOKEN_START.length);
  if (!trimmed.startsWith(JOIN_TOKEN_START) || !BASE64URL.test(body))
    return { ok: false, reason: `a join token starts with ${JOIN_TOKEN_START} and has no spaces` };
  if (trimmed.length > JOIN_TOKEN_LENGTH_MAX)
    return { ok: false, reason: `it is longer than ${JOIN_TOKEN_LENGTH_MAX} characters` };
  const parsed = parse(Buffer.from(body, 'base64url').toString('utf8'));
  return parsed.ok ? parsed : { ok: false, reason: 'it is incomplete or damaged' };
}
