import { line, list, record, type Reader } from '../wire/field-readers.ts';
import { readToken } from '../wire/identifiers.ts';

/** Content of a join token (docs/decisions/bus-identity.md#join-token). The names are those of its text. */
export interface JoinToken {
  /** Id of the token. */
  readonly i: string;
  /** Secret: 256 random bits in base64url. */
  readonly s: string;
  /** SHA-256 of the DER form of the certificate of the authority of the bus, in base64url. */
  readonly c: string;
  /** Addresses of the bus. */
  readonly u: readonly string[];
  /** JWT that allows no more than to exchange the token. */
  readonly j: string;
}

/** Start of the text of every token. */
export const JOIN_TOKEN_START = 'csj1_';
/** Maximum length of the text of a token in characters. */
export const JOIN_TOKEN_LENGTH_MAX = 16_384;

const digest = line(43, 43);

/** Reads the JSON in a token. */
export const readJoinToken: Reader<JoinToken> = record<JoinToken>({
  i: readToken,
  s: digest,
  c: digest,
  u: list(line(512, 1), 16),
  j: line(8192, 1),
});
