import { CONTROL_CHARACTERS, escapeMatches, showDirections } from '../../../core/escaped-text.ts';
import { LDAP_LIMITS } from './limits.ts';

/** A server could not answer. Nothing is known about the credentials. */
export class DirectoryFault extends Error {
  /** Whether another server may answer: this one cannot be reached, or says that it is busy. */
  readonly canAnotherAnswer: boolean;

  constructor(message: string, canAnotherAnswer: boolean) {
    super(message);
    this.canAnotherAnswer = canAnotherAnswer;
  }
}

/** Returns the message of an error on one line, without control characters, cut to a length for logs. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = showDirections(escapeMatches(text.replace(/\s+/g, ' ').trim(), CONTROL_CHARACTERS));
  return line.length > LDAP_LIMITS.messageLength ? `${line.slice(0, LDAP_LIMITS.messageLength)}...` : line;
}
