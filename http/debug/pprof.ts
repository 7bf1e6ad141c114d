import type { Header, HttpRequest, HttpResponse } from '../pipeline/message.ts';
import { parseQueryString } from '../pipeline/query-string.ts';
import { problemResponse } from '../problems.ts';
import type { Problem } from '../../src/core/problems.ts';

/** V8 profile, or why there is none: another profile of the thread is being taken, or the thread does not answer. */
export type Profile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'busy' | 'silent' };

/** Takes profiles of threads. */
export interface Profiler {
  /** Returns the thread names as metrics use them. */
  threads(): readonly string[];
  /** Samples a thread for `seconds`, or until the signal aborts. */
  take(thread: string, kind: 'cpu' | 'heap', seconds: number, signal: AbortSignal): Promise<Profile>;
}

const PREFIX = '/debug/pprof';
const KINDS = {
  profile: { kind: 'cpu', extension: 'cpuprofile' },
  heap: { kind: 'heap', extension: 'heapprofile' },
} as const;
const SECONDS_DEFAULT = 10;
const SECONDS_MAX = 60;

/** Reports whether a path is a profiling route (docs/contract/rest.md#public-routes). */
export const isPprof = (path: string): boolean => path === PREFIX || path.startsWith(`${PREFIX}/`);

/**
 * Answers a request for a path that `isPprof`: the index, `profile` (processor time) and `heap` (allocations) with
 * `thread` and `seconds`. Errors are problem responses.
 */
export async function answerPprof(
  profiler: Profiler,
  request: HttpRequest,
  requestId: string,
): Promise<HttpResponse> {
  const refuse = (problem: Problem, headers: readonly Header[] = []): HttpResponse =>
    problemResponse(problem, requestId, headers);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse({ kind: 'method-not-allowed', detail: 'profiles can only be read with GET' }, [
      ['Allow', 'GET, HEAD'],
    ]);
  const name = request.path.slice(PREFIX.length + 1);
  if (name === '') return text(indexOf(profiler.threads()));
  const route = name === 'profile' || name === 'heap' ? KINDS[name] : null;
  if (route === null)
    return refuse({ kind: 'not-found', detail: `no resource at ${request.path.slice(0, 200)}` });

  const query = parseQueryString(request.query);
  if (query === null) return refuse({ kind: 'bad-request', detail: 'the query has a malformed escape' });
  const seconds = secondsOf(query.get('seconds')?.at(-1));
  if (seconds === null)
    return refuse({ kind: 'bad-request', detail: `seconds must be a whole number from 1 to ${SECONDS_MAX}` });
  const thread = query.get('thread')?.at(-1);
  const threads = profiler.threads();
  if (thread === undefined)
    return refuse({ kind: 'bad-request', detail: `thread must name one of: ${threads.join(', ')}` });
  if (!threads.includes(thread))
    return refuse({ kind: 'not-found', detail: `no such thread; threads: ${threads.join(', ')}` });
  const fileName = `${thread.replaceAll(' ', '-')}.${route.extension}`;
  const headers: Header[] = [
    ['Content-Type', 'application/json'],
    ['Content-Disposition', `attachment; filename="${fileName}"`],
  ];
  if (request.method === 'HEAD') return { status: 200, headers, body: null };
  const profile = await profiler.take(thread, route.kind, seconds, request.ended());
  if (profile.ok) return { status: 200, headers, body: profile.text };
  return profile.reason === 'busy'
    ? refuse({ kind: 'conflict', detail: `a profile of the thread ${thread} is being taken` })
    : refuse({ kind: 'unavailable', detail: `the thread ${thread} does not answer` });
}

function secondsOf(given: string | undefined): number | null {
  if (given === undefined) return SECONDS_DEFAULT;
  const seconds = /^[0-9]{1,4}$/.test(given) ? Number(given) : 0;
  return seconds >= 1 && seconds <= SECONDS_MAX ? seconds : null;
}

const text = (body: string): HttpResponse => ({
  status: 200,
  headers: [['Content-Type', 'text/plain; charset=utf-8']],
  body,
});

const indexOf = (threads: readonly string[]): string =>
  [
    `${PREFIX}/profile?thread=NAME&seconds=N  processor time, a V8 .cpuprofile`,
    `${PREFIX}/heap?thread=NAME&seconds=N     live allocations of the interval, a V8 .heapprofile`,
    '',
    `N is 1 to ${SECONDS_MAX}, default ${SECONDS_DEFAULT}. Threads:`,
    ...threads.map((thread) => `  ${thread}  ${PREFIX}/profile?thread=${encodeURIComponent(thread)}`),
    '',
  ].join('\n');
