import type { Rest } from '../../client/rest.ts';

/**
 * Returns a client whose change is refused with 412 if the object has another version than the one that the user saw; the
 * client itself if that is unknown.
 *
 * @param version - `settings_version` of the object.
 */
export const ifVersion = (rest: Rest, version: string | undefined): Rest =>
  version === undefined ? rest : rest.withHeaders({ 'If-Match': `"${version}"` });
