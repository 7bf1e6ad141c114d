import { CATALOG_ID, type CatalogMessage } from '../../actors/service/catalog/messages.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { Settings } from '../../src/core/records/settings-version.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { Ports } from '../ports.ts';
import type { Header } from '../pipeline/message.ts';
import { versionHeaders } from './if-match.ts';
import { NO_CONTENT, notFound, type ProblemReply } from './operation.ts';

/** Replies that the routes of all catalogs share (docs/contract/rest.md#catalogs). */

/** Sends a request to the catalog actor, as `Actors.ask` does. */
export const askCatalog = <Answer>(
  ports: Ports,
  make: (replyTo: ReplyTo<Outcome<Answer>>) => CatalogMessage,
): Promise<Outcome<Answer>> =>
  ports.actors.ask<Answer>((replyTo) => ({ actor: 'catalog', id: CATALOG_ID, message: make(replyTo) }));

interface Shown<Status extends number, View> {
  readonly kind: 'json';
  readonly status: Status;
  readonly body: View;
  readonly location?: string;
  readonly headers?: readonly Header[];
}

/** Returns 200 with the requested item, or 404: "no farm 0198...". */
export const okOrNotFound = <Record, View>(
  what: string,
  id: string,
  record: Record | undefined,
  view: (record: Record) => View,
  settings: (record: Record) => Settings,
): Shown<200, View> | ProblemReply =>
  record === undefined
    ? notFound(what, id)
    : { kind: 'json', status: 200, body: view(record), headers: versionHeaders(settings(record)) };

/** Returns 201 with the new resource; its id below `path` is its location. */
export const created = <Record extends { readonly id: string }, View>(
  path: string,
  outcome: Outcome<Record>,
  view: (record: Record) => View,
): Shown<201, View> | ProblemReply =>
  outcome.ok
    ? { kind: 'json', status: 201, body: view(outcome.value), location: `${path}/${outcome.value.id}` }
    : { kind: 'problem', problem: outcome.problem };

/** Returns 200 with the changed resource, and its version if it has settings. */
export const replaced = <Record, View>(
  outcome: Outcome<Record>,
  view: (record: Record) => View,
  settings?: (record: Record) => Settings,
): Shown<200, View> | ProblemReply =>
  outcome.ok
    ? {
        kind: 'json',
        status: 200,
        body: view(outcome.value),
        ...(settings !== undefined && { headers: versionHeaders(settings(outcome.value)) }),
      }
    : { kind: 'problem', problem: outcome.problem };

/** Returns 204. */
export const deleted = (outcome: Outcome<null>): typeof NO_CONTENT | ProblemReply =>
  outcome.ok ? NO_CONTENT : { kind: 'problem', problem: outcome.problem };
