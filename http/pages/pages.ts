import { acceptedCodings, weightOf } from '../pipeline/accepted-codings.ts';
import { matchesIfNoneMatch } from '../pipeline/conditional.ts';
import { headerValues, type Header, type HttpRequest, type HttpResponse } from '../pipeline/message.ts';
import { problemResponse } from '../problems.ts';
import { INDEX, type Bundle, type Coding, type PageFile } from './bundle.ts';

/** First path segments of the service; all others belong to the application. */
const OWN_PARTS: ReadonlySet<string> = new Set(['api', 'healthz', 'readyz', 'metrics', 'debug']);
/** Path of static files, which are never the address of a page. */
const ASSETS = '/assets/';
const HOME = '/';

const METHODS = 'GET, HEAD';
const VARY: Header = ['Vary', 'Accept-Encoding'];
/** One year, the maximum for caches (RFC 9111). */
const FOR_EVER: Header = ['Cache-Control', 'public, max-age=31536000, immutable'];
const ASK_EACH_TIME: Header = ['Cache-Control', 'no-cache'];

/**
 * Content security policy: scripts and styles only from this service, nothing inline, nothing from other hosts.
 * `'self'` in `connect-src` includes the event channel in every browser that supports the application's style sheets.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS: readonly Header[] = [
  ['Content-Security-Policy', POLICY],
  ['Referrer-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
];

const NO_BUNDLE = `The web application is not part of this build of Callsheet.\n\nRun "npm run build" in the source folder to create it (dist/web-app), then restart the server.\nThe REST API is available without it: see /api/v1/openapi.yaml.\n`;

/** Reports whether a path belongs to the web application: all but the API, probes, metrics and profiles. */
export const isPage = (path: string): boolean => !OWN_PARTS.has(path.slice(1).split('/', 1)[0] ?? '');

/**
 * Answers a request for the web application from files in memory, so no path leads elsewhere. `bundle` is null if the
 * application was not built.
 */
export function answerPage(bundle: Bundle | null, request: HttpRequest, requestId: string): HttpResponse {
  const path = request.path.slice(0, 200);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && (request.path === HOME || bundle?.has(request.path) === true)) {
    const detail = `method ${request.method.slice(0, 20)} is not allowed at ${path}; allowed: ${METHODS}`;
    return problemResponse({ kind: 'method-not-allowed', detail }, requestId, [['Allow', METHODS]]);
  }
  if (bundle === null && isRead) {
    const headers: readonly Header[] = [['Content-Type', 'text/plain; charset=utf-8']];
    return { status: 404, headers, body: NO_BUNDLE };
  }
  const file = isRead
    ? (bundle?.get(request.path) ?? (isView(request) ? bundle?.get(INDEX) : undefined))
    : undefined;
  return file === undefined
    ? problemResponse({ kind: 'not-found', detail: `no resource at ${path}` }, requestId)
    : fileResponse(file, request);
}

/**
 * Reports whether a path without a file goes to the application's router: requests for HTML do. A script with a
 * mistyped path gets 404.
 */
const isView = ({ path, headers }: HttpRequest): boolean =>
  path === HOME || (!path.startsWith(ASSETS) && acceptsHtml(headers));

/** Reports whether a client accepts HTML explicitly, as browsers do for navigation. */
const acceptsHtml = (headers: readonly Header[]): boolean =>
  headerValues(headers, 'accept')
    .flatMap((value) => value.split(','))
    .some((item) => {
      const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      return type === 'text/html' && weightOf(parameters) > 0;
    });

function fileResponse(file: PageFile, request: HttpRequest): HttpResponse {
  const lasting: readonly Header[] = [
    // Weak, because it is the same for all content codings.
    ['ETag', `W/${file.tag}`],
    file.isHashed ? FOR_EVER : ASK_EACH_TIME,
    ...(file.coded.size > 0 ? [VARY] : []),
    ...PAGE_HEADERS,
  ];
  if (matchesIfNoneMatch(request.headers, file.tag)) return { status: 304, headers: lasting, body: null };
  const coding = codingFor(file, request.headers);
  const headers: readonly Header[] = [
    ['Content-Type', file.contentType],
    ...(coding === null ? [] : [['Content-Encoding', coding] as const]),
    ...lasting,
  ];
  return { status: 200, headers, body: (coding === null ? null : file.coded.get(coding)) ?? file.bytes };
}

/** Returns the client's preferred coding among those available; null for the uncompressed bytes. */
function codingFor(file: PageFile, headers: readonly Header[]): Coding | null {
  const wanted = acceptedCodings(headers);
  if (wanted === null) return null;
  let chosen: Coding | null = null;
  let most = wanted.get('identity') ?? 0;
  for (const coding of file.coded.keys()) {
    const weight = wanted.get(coding) ?? wanted.get('*') ?? 0;
    if (weight === 0 || weight < most || (chosen !== null && weight === most)) continue;
    chosen = coding;
    most = weight;
  }
  return chosen;
}
