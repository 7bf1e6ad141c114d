import { headerValues, type Header } from './message.ts';

export interface Cookie {
  readonly name: string;
  /** Null without an equals sign. */
  readonly value: string | null;
}

/** Returns the cookies of a request in order of arrival, without the blanks around names and values. */
export function cookiesOf(headers: readonly Header[]): readonly Cookie[] {
  return headerValues(headers, 'cookie')
    .flatMap((line) => line.split(';'))
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0
        ? { name: pair.trim(), value: null }
        : { name: pair.slice(0, equals).trim(), value: pair.slice(equals + 1).trim() };
    });
}
