/**
 * The engine reads its limit for request headers once, when it is loaded, so this module must be imported first. The
 * default of about 4 KB is too small for cookies of login providers
 * (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine). A submission has its upstream jobs and parameter values
 * in the query: 1,000 ids are 48 KB.
 */
const MAX_HEAD_BYTES = 64 * 1024;

process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(MAX_HEAD_BYTES);
