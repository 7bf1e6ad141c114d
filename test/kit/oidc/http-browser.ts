/** An answer that was not followed. */
export interface BrowserAnswer {
  readonly status: number;
  /** Absolute address of the redirect; null without one. */
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly headers: Headers;
  readonly body: string;
}

const REDIRECTS_MAX = 12;

/** Sends plain requests with cookies as a browser keeps them: by origin. Follows redirects step by step. */
export class HttpBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<BrowserAnswer> {
    return await this.request(url, { headers });
  }

  async request(
    url: string,
    init: RequestInit & { headers?: Readonly<Record<string, string>> },
  ): Promise<BrowserAnswer> {
    const jar = this.jar(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...init.headers },
    });
    const cookies = response.headers.getSetCookie();
    for (const line of cookies) keep(jar, line);
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? null : new URL(location, url).href,
      cookies,
      headers: response.headers,
      body: await response.text(),
    };
  }

  /** Follows redirects from `url` until one leads to an address that starts with `end`; returns that address. */
  async follow(url: string, end: string): Promise<string> {
    let at = url;
    for (let step = 0; step < REDIRECTS_MAX; step++) {
      if (at.startsWith(end)) return at;
      const answer = await this.get(at);
      if (answer.location === null)
        throw new Error(`${at} answered ${answer.status} without a redirect: ${answer.body.slice(0, 300)}`);
      at = answer.location;
    }
    throw new Error(`more than ${REDIRECTS_MAX} redirects from ${url}`);
  }

  /** Cookies of an origin by name. A test may change them. */
  jar(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    return jar;
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const name = pair.slice(0, pair.indexOf('='));
  const value = pair.slice(pair.indexOf('=') + 1);
  const isExpired = attributes.some(
    (attribute) => /^max-age=0$/i.test(attribute) || /^expires=thu, 01 jan 1970/i.test(attribute),
  );
  if (isExpired) jar.delete(name);
  else jar.set(name, value);
}
