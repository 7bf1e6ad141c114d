/** Addresses of the sign-in page, and the page to show after it. */

export const SIGN_IN_PATH = '/sign-in';

/** Query parameter with the page to show after the sign-in. */
export const RETURN_TO = 'return_to';

/** Start of the tab that a sign-in by the provider opens for another tab: it only reports that it is done. */
export const DONE_PATH = `${SIGN_IN_PATH}?done=1`;

type Place = Pick<URL, 'pathname' | 'search' | 'hash'>;

/** Returns the address of the sign-in page that leads back to a page. */
export function signInHref(from: Place): string {
  const wanted = `${from.pathname}${from.search}${from.hash}`;
  return wanted === '/' ? SIGN_IN_PATH : `${SIGN_IN_PATH}?${RETURN_TO}=${encodeURIComponent(wanted)}`;
}

/** Returns the address of the sign-in by the provider, which leads to `returnTo`. */
export const providerHref = (returnTo: string): string =>
  `/api/v1/auth/oidc/login?${RETURN_TO}=${encodeURIComponent(returnTo)}`;

/**
 * Returns the path of a page of this application; `/` for anything else: another host, the API, or the sign-in page
 * itself. `origin` is that of the application.
 */
export function localPath(text: string | null, origin: string): string {
  if (text?.startsWith('/') !== true || !URL.canParse(text, origin)) return '/';
  const url = new URL(text, origin);
  const { pathname } = url;
  // A path that starts with two slashes would name a host.
  const isOther =
    url.origin !== origin || pathname.startsWith('//') || /^\/(api|sign-in)(\/|$)/.test(pathname);
  return isOther ? '/' : `${pathname}${url.search}${url.hash}`;
}

/** Returns the page of the provider that ends its own session; null if it must not be followed. */
export function signOutHref(text: string | undefined, origin: string): string | null {
  if (text === undefined || !URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  return url.protocol === 'https:' || url.origin === origin ? url.href : null;
}
