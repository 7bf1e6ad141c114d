import { mutantsOf, type Mutant } from './mutant.ts';

const WS = 'test/http/ws';

/** Mutants of the REST interface. */
export const HTTP_REQUEST_MUTANTS: readonly Mutant[] = [
  ...mutantsOf(
    'http/guards/connection-limit.ts',
    [`${WS}/limits.test.ts`],
    [
      'a client has one connection more',
      '(this.#open.get(client) ?? 0) < this.#max',
      '(this.#open.get(client) ?? 0) <= this.#max',
    ],
    [
      'closed connections count',
      'const left = (this.#open.get(client) ?? 1) - 1;',
      'const left = this.#open.get(client) ?? 1;',
    ],
  ),
  ...mutantsOf(
    'http/guards/body-budget.ts',
    ['test/http/guards/body-budget.test.ts', 'test/http/server/body-limits.test.ts'],
    ['the bodies of one client are not limited', "      if (ofClient > perClient) return 'client';\n", ''],
    [
      'large bodies take the part of small ones',
      'held + bytes > SMALL_BYTES ? total * (1 - SMALL_PART) : total',
      'total',
    ],
    [
      'a refused body counts',
      '    if (exceeded !== null) {\n      this.exceeded = exceeded;\n      return false;\n    }\n    this.#bytes += bytes;',
      '    this.#bytes += bytes;\n    if (exceeded !== null) {\n      this.exceeded = exceeded;\n      return false;\n    }',
    ],
    [
      'a share is released twice',
      '    if (this.#isReleased) return;\n    this.#isReleased = true;',
      '    this.#isReleased = true;',
    ],
    ['a released share grows', '    if (this.#isReleased) return false;\n', ''],
    [
      'only the last piece of a large body counts for its size',
      'held + bytes > SMALL_BYTES',
      'bytes > SMALL_BYTES',
    ],
  ),
  ...mutantsOf(
    'http/guards/client-address.ts',
    ['test/http/guards/client-address.test.ts'],
    ['any client names its address', 'if (!isTrusted(client, trusted)) return formatClient(client);', ''],
    ['the entry of the client itself counts', 'return entries.reverse().map(', 'return entries.map('],
    ['a network of IPv6 is one address', 'address.slice(0, NETWORK_GROUPS)', 'address.slice(0, 8)'],
    ['a mapped IPv4 address is a network', 'if (isMappedIpv4(address)) {', 'if (address.length === 0) {'],
    [
      'an invalid entry hides the peer',
      'if (address === null) break;',
      'if (address === null) return UNKNOWN;',
    ],
    [
      'a listed proxy counts as the client',
      'if (trusted === true || !isTrusted(address, trusted)) break;',
      'break;',
    ],
  ),
  ...mutantsOf(
    'http/guards/origin.ts',
    ['test/http/guards/origin.test.ts'],
    ['a repeated header counts', 'second === undefined ? read(value) : null', 'read(value)'],
    [
      'an empty list allows writes',
      "configured.includes('*');",
      "(configured.includes('*') || configured.length === 0);",
    ],
    ['authentication keeps the wildcard', '!isAuthenticated && configured.includes', 'configured.includes'],
    ['an origin need not be serialized', 'new URL(text).origin === text ? text : null', 'true ? text : null'],
  ),
  ...mutantsOf(
    'http/guards/door.ts',
    ['test/http/guards/door.test.ts'],
    [
      'every host is known',
      'const unknown = given.find((host) => !hosts.has(host));',
      'const unknown = given.find(() => false);',
    ],
    [
      'only the forwarded host is checked',
      "[headerValues(request.headers, 'host')[0] ?? '', addressedHost(request, trusted)]",
      '[addressedHost(request, trusted)]',
    ],
    [
      'a cookie without an origin is accepted',
      'return sessionCookie === null\n        ? null',
      'return sessionCookie !== null\n        ? null',
    ],
    [
      'upgrades are not checked',
      "if (purpose === 'request' && SAFE_METHODS.has(request.method)) return null;",
      'if (SAFE_METHODS.has(request.method)) return null;',
    ],
    ['requests without the cookie are checked', '!hasCookie(request, sessionCookie)', 'false'],
  ),
  ...mutantsOf(
    'http/guards/known-hosts.ts',
    ['test/http/guards/known-hosts.test.ts'],
    ['a domain allows other domains', 'map((name) => name.slice(1))', 'map((name) => name.slice(2))'],
    ['addresses are read for each request', 'if (now - this.#readAt < REFRESH_MS) return false;', ''],
    ['a port must not be there', ')(?::[0-9]{1,5})?$/;', ')$/;'],
  ),
  ...mutantsOf(
    'http/guards/rate-limit.ts',
    ['test/http/guards/rate-limit.test.ts'],
    ['the wait is rounded down', 'Math.ceil(waitMs / SECOND_MS)', 'Math.floor(waitMs / SECOND_MS)'],
    ['no request is refused', 'if (waitMs === 0) return null;', 'if (waitMs >= 0) return null;'],
  ),
  ...mutantsOf(
    'http/guards/cors.ts',
    ['test/http/guards/door.test.ts', 'test/http/server/server.test.ts', 'test/http/server/engine.test.ts'],
    ['any origin may read', 'origin !== null && this.#origins.has(origin) ? origin : null', 'origin'],
    ['a cache mixes origins', "this.#origins.mayAllRead ? [] : [['Vary', 'Origin']]", '[]'],
  ),
  ...mutantsOf(
    'http/guards/framing.ts',
    ['test/http/guards/framing.test.ts'],
    [
      'length and coding may both be there',
      "if (lengths.length > 0 && codings.length > 0) return 'both Content-Length and Transfer-Encoding';",
      '',
    ],
    ['two lengths may be there', "if (lengths.length > 1) return 'more than one Content-Length header';", ''],
    ['any transfer coding is accepted', "codings[0].toLowerCase() !== 'chunked'", "codings[0] === ''"],
  ),
  ...mutantsOf(
    'http/pipeline/conditional.ts',
    ['test/http/pipeline/conditional.test.ts'],
    [
      'answers to changes are tagged',
      "const isRead = request.method === 'GET' || request.method === 'HEAD';",
      'const isRead = true;',
    ],
    ['errors are tagged', '!isRead || status !== 200 || body', '!isRead || body'],
    [
      'only the first tag of a request counts',
      '[...ifNoneMatch.matchAll(ENTITY_TAG)].some(',
      '[...ifNoneMatch.matchAll(ENTITY_TAG)].slice(0, 1).some(',
    ],
    ['weak tags never match', "const wanted = tag.replace(/^W\\//, '');", 'const wanted = tag;'],
    ['a star matches nothing', "if (ifNoneMatch.trim() === '*') return true;", ''],
  ),
  ...mutantsOf(
    'http/pipeline/body.ts',
    [
      'test/http/pipeline/body.test.ts',
      'test/http/server/body-limits.test.ts',
      'test/http/routes/jobs.test.ts',
      'test/http/routes/submit-job.test.ts',
      'test/http/server/server.test.ts',
    ],
    [
      'any content type is accepted',
      'mediaType !== null && this.#mediaTypes.includes(mediaType)',
      'mediaType !== null',
    ],
    ['members are not limited', ', members: MAX_MEMBERS }', ' }'],
    ['half characters are stored', 'if (hasHalfCharacter(text, value.value)) {', 'if (text === null) {'],
    [
      'bodies are not checked',
      'return errors.length > 0 ? { ok: false',
      'return errors.length > 1000 ? { ok: false',
    ],
  ),
  ...mutantsOf(
    'http/pipeline/router.ts',
    ['test/http/pipeline/router.test.ts'],
    ['HEAD has no routes', "method === 'HEAD' ? 'GET' : method", 'method'],
    ['an empty segment is a parameter', " || value === '') return undefined;", ') return undefined;'],
    [
      'a path with a slash at its end is not found',
      "path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path",
      'path',
    ],
  ),
  ...mutantsOf(
    'http/pipeline/response-cache.ts',
    ['test/http/pipeline/response-cache.test.ts'],
    [
      'a response of an earlier commit is kept',
      'if (count > this.#count || this.#bytes > KEPT_BYTES_MAX',
      'if (this.#bytes > KEPT_BYTES_MAX',
    ],
    ['the cache has no limit of bytes', ' || this.#bytes > KEPT_BYTES_MAX', ''],
    ['a cleared cache stays full', '    this.#bytes = 0;\n', ''],
  ),
  ...mutantsOf(
    'http/views/task-window.ts',
    ['test/http/views/task-window.test.ts'],
    ['later segments are skipped too', '    skip = 0;\n', ''],
    [
      'a page is too long',
      'const picker = new Picker(skip, paging.limit - places.length, descending);',
      'const picker = new Picker(skip, paging.limit, descending);',
    ],
    [
      'blocks are ascending in a descending order',
      'const block = picker.descending ? tasks.blockCount - 1 - nth : nth;',
      'const block = nth;',
    ],
    [
      'a page begins one match too late',
      'if (this.#skip > 0) this.#skip -= 1;',
      'if (this.#skip >= 0) this.#skip -= 1;',
    ],
    ['positions continue from the filtered count', '    first += step.taskCount;\n', '    first += count;\n'],
  ),
  ...mutantsOf(
    'http/views/task-axis.ts',
    ['test/http/views/task-axis.test.ts'],
    ['several parameters are one axis', ' || others.length > 0 || axis', ' || axis'],
    [
      'integers beyond the exact ones are shown',
      '.every(Number.isSafeInteger) ? run : null',
      '.every(Number.isFinite) ? run : null',
    ],
    ['any number of parts is shown', 'runs.length > PARTS_MAX || ', ''],
  ),
];
