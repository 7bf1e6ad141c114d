import { headerValues, type Header } from './message.ts';

/**
 * Parses `Accept-Encoding` (RFC 9110, 12.5.3). Returns weights from 0 to 1 by coding in lower case, including `*`;
 * null if the header is missing.
 */
export function acceptedCodings(headers: readonly Header[]): ReadonlyMap<string, number> | null {
  const accepted = headerValues(headers, 'accept-encoding');
  if (accepted.length === 0) return null;
  const wanted = new Map<string, number>();
  for (const item of accepted.join(',').split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    wanted.set(coding, weightOf(parameters));
  }
  return wanted;
}

/** Returns the weight of a header item from its parameters, from 0 to 1; 0 if it is malformed. */
export function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return 1;
  const text = weight.replace(/^q\s*=\s*/, '');
  return /^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
