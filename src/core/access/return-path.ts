const RETURN_PATH_LENGTH_MAX = 512;

/** First segments of paths that are not pages. */
const NOT_PAGES = /^\/(?:api|debug|healthz|readyz|metrics|assets)(?:[/?#]|$)/i;

/**
 * Returns a path of the web application from the text of a request, or `/` for any other text. The result is a path of
 * this service for every browser: no scheme, host, backslash, dot segment, empty segment or control character.
 */
export function returnPath(text: string | undefined): string {
  if (text === undefined || text.length > RETURN_PATH_LENGTH_MAX) return '/';
  if (!/^\/[\x21-\x7e]*$/.test(text) || text.includes('\\') || NOT_PAGES.test(text)) return '/';
  const [path = ''] = text.split(/[?#]/, 1);
  const segments = path.slice(1).split('/');
  const isPlain = segments.every(
    (segment, at) => (segment !== '' || at === segments.length - 1) && !/^(?:\.|%2e){1,2}$/i.test(segment),
  );
  return isPlain ? text : '/';
}
