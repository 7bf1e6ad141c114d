import { acceptedCodings, weightOf } from '../pipeline/accepted-codings.ts';
import { matchesIfNoneMatch } from '../pipeline/conditional.ts';
import { headerValues, type Header, type HttpRequest, type HttpResponse } from '../pipeline/message.ts';
import { problemResponse } from '../problems.ts';
import { INDEX, type Bundle, type Coding, type PageFile } from './bundle.ts';

/** First parts of the paths that are the service's own; all others are the application's. */
const OWN_PARTS: ReadonlySet<string> = new Set(['api', 'healthz', 'readyz', 'metrics', 'debug']);
/** Where files of the application lie that no page has as its address. */
const ASSETS = '/assets/';
const HOME = '/';

const METHODS = 'GET, HEAD';
const VARY: Header = ['Vary', 'Accept-Encoding'];
/** A year: as long as a cache may be told (RFC 9111). */
const FOR_EVER: Header = ['Cache-Control', 'public, max-age=31536000, immutable'];
const ASK_EACH_TIME: Header = ['Cache-Control', 'no-cache'];

/**
 * What a page may do: scripts and styles are files of this service, nothing is inline, nothing comes from elsewhere. `'self'` of
 * `connect-src` has the event channel in it, in every browser that knows the style sheets of the application.
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

const NO_BUNDLE = `The web application is not part of this build of Callsheet.

"npm run build" in the folder of the sources makes it (dist/web-app); then start the service again.
The REST API does not need it: see /api/v1/openapi.yaml.
`;

/** Whether a path is one of the web application's: all but those of the API, the probes, the metrics and the profiles. */
export const isPage = (path: string): boolean => !OWN_PARTS.has(path.slice(1).split('/', 1)[0] ?? '');

/**
 * Answers a request to a path of the web application from its files, which are in memory: no path leads anywhere else. `bundle` is null when
 * the application was not built.
 */
export function answerPage(bundle: Bundle | null, request: HttpRequest, requestId: string): HttpResponse {
  const path = request.path.slice(0, 200);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead && (request.path === HOME || bundle?.has(request.path) === true)) {
    const detail = `${request.method.slice(0, 20)} is not served at ${path}, but ${METHODS} are`;
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
    ? problemResponse({ kind: 'not-found', detail: `nothing is at ${path}` }, requestId)
    : fileResponse(file, request);
}

/** Whether a path that is no file is for the router of the application: what a browser opens in a window. A script that misspells a path gets 404. */
const isView = ({ path, headers }: HttpRequest): boolean =>
  path === HOME || (!path.startsWith(ASSETS) && acceptsHtml(headers));

/** Whether a client names HTML among what it accepts, as browsers do for what they show in a window. */
const acceptsHtml = (headers: readonly Header[]): boolean =>
  headerValues(headers, 'accept')
    .flatMap((value) => value.split(','))
    .some((item) => {
      const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      return type === 'text/html' && weightOf(parameters) > 0;
    });

function fileResponse(file: PageFile, request: HttpRequest): HttpResponse {
  const lasting: readonly Header[] = [
    // Weak: it stands for the file whether that is compressed or not.
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

/** The coding that the client wants most of those that there are; null for the bytes as they are. */
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
