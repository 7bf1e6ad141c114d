import { headerValues, type Header } from './message.ts';

/**
 * How much a client wants each content coding, from `Accept-Encoding` (RFC 9110, 12.5.3): weights from 0 to 1 by name in
 * lower case, `*` among them. Null when the header is missing.
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

/** The weight among the parameters of an item of a header, from 0 to 1; one that is malformed is 0. */
export function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return 1;
  const text = weight.replace(/^q\s*=\s*/, '');
  return /^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
