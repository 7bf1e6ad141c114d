const TEXT_LENGTH_MAX = 300;
const CAUSES_MAX = 4;
/** The library's text for an error that it did not make: the cause says more. */
const EMPTY_MESSAGE = 'something went wrong';

/**
 * Returns one line about an error of the provider or of a check, without secrets: codes and fixed sentences of the
 * library and of the network. Causes that contain an answer of the provider, and texts about its syntax, are left out.
 */
export function faultText(error: unknown): string {
  const parts: string[] = [];
  let at = error;
  for (let depth = 0; at instanceof Error && depth < CAUSES_MAX; depth++) {
    const message = at instanceof SyntaxError ? 'the answer is not valid JSON' : at.message;
    parts.push(wordOf(at, 'error'), wordOf(at, 'code'), message === EMPTY_MESSAGE ? '' : message);
    at = at.cause;
  }
  const known = [...new Set(parts)].filter((part) => part !== '');
  return known.length === 0 ? 'unknown error' : known.join(': ').slice(0, TEXT_LENGTH_MAX);
}

/** Returns the code of an error, such as `invalid_grant` or `ECONNREFUSED`; empty without one. */
function wordOf(error: Error, name: 'code' | 'error'): string {
  const word: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  return typeof word === 'string' && /^[A-Za-z_]{1,60}$/.test(word) ? word : '';
}
