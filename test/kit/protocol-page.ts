import { readFileSync } from 'node:fs';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import type { TappedMessage } from './bus-tap.ts';

export type Body = Readonly<Record<string, unknown>>;

/** A message of the session in docs/worker-protocol.md. */
export interface ShownMessage {
  readonly from: 'worker' | 'service';
  readonly subject: string;
  readonly body: Body;
}

/** A field as described in its table. */
export interface DescribedField {
  readonly name: string;
  readonly isOptional: boolean;
}

const page = (): string => readFileSync(new URL('docs/worker-protocol.md', packageRoot), 'utf8');

/** Returns the messages of the recorded session, in order. */
export function shownSession(): readonly ShownMessage[] {
  const blocks = page().matchAll(/^```json\n([<>]) (\S+)\n([\s\S]*?)\n```$/gm);
  return [...blocks].map(([, mark, subject = '', text = '']) => ({
    from: mark === '>' ? 'worker' : 'service',
    subject,
    body: JSON.parse(text) as Body,
  }));
}

/** Returns the fields of the table that follows `after` on the page. */
export function describedFields(after: string): readonly DescribedField[] {
  const text = page();
  const start = text.indexOf(after);
  const table = /\| Field[^\n]*\n\|[ -|]*\n((?:\|[^\n]*\n)+)/.exec(text.slice(start));
  if (start === -1 || table === null) throw new Error(`the page has no table after ${after}`);
  return (table[1] ?? '').split('\n').flatMap((row) => {
    const name = /^\| `(\w+)`/.exec(row)?.[1];
    return name === undefined ? [] : [{ name, isOptional: row.includes('_optional_') }];
  });
}

/** Returns the kind of a message: the subject without IDs, and the field that distinguishes messages on one subject. */
export function kindOf(subject: string, body: Body): string {
  const [first = '', second = ''] = subject.split('.');
  const place = first === '_INBOX' ? 'answer' : `${first}.${second}`;
  return [place, body['type'], body['status']].filter((part) => typeof part === 'string').join(' ');
}

/**
 * Filters the messages of worker and service out of all bus messages: drops acknowledgements and messages of the NATS
 * server.
 */
export function protocolMessages(all: readonly TappedMessage[]): readonly ShownMessage[] {
  return all.flatMap(({ subject, body }) => {
    if (body === null || body['v'] !== 1 || subject.startsWith('$JS')) return [];
    const isService = subject.startsWith('_INBOX') || subject.startsWith('task.cancel');
    return [{ from: isService ? 'service' : 'worker', subject, body } as const];
  });
}
