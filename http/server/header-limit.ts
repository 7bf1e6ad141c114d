/**
 * The engine reads its limit for the head of a request once, when it is loaded: this module must be imported before it. The default of about
 * 4 KB is too small for cookies of login providers (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine). A
 * submission has its upstream jobs and the values of its parameters in the query: a thousand ids are 48 KB.
 */
const MAX_HEAD_BYTES = 64 * 1024;

process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(MAX_HEAD_BYTES);
