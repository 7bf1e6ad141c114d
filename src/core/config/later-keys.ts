/**
 * Keys of the contract for features that this version does not have and that do not affect access. They are accepted
 * with a note that they have no effect, so that one configuration can serve this version and the next.
 */
export const KEYS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['presets.dir']);
