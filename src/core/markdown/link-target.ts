/** Visible ASCII without quotes, angle brackets, backslashes and backticks: what needs no escape in an address. */
const SAFE = /^[!#-;=?-[\]^_a-z{-~]+$/;
const WEB = /^https?:\/\/[^/?#]/i;
const MAIL = /^mailto:[^?#]/i;

/** Returns the target of a link if pages may link to it: http, https or mailto, in visible ASCII; null otherwise. */
export const linkTarget = (target: string): string | null =>
  SAFE.test(target) && (WEB.test(target) || MAIL.test(target)) ? target : null;
