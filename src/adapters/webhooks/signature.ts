import { createHmac } from 'node:crypto';

/**
 * Returns the header `X-Callsheet-Signature` (docs/webhooks.md#signature): the time in seconds, and an HMAC-SHA256 of
 * time, period and body for each key.
 */
export function signatureOf(body: string, secrets: readonly string[], now: number): string {
  const time = Math.floor(now / 1000);
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`,
  );
  return [`t=${time}`, ...signatures].join(',');
}
