import { OidcSignIn } from '../../http/sign-in/oidc-sign-in.ts';
import { openIdProvider } from '../../src/adapters/identity/oidc/openid-provider.ts';
import { LOGIN_SECONDS, loginTokens } from '../../src/adapters/identity/tokens/login-tokens.ts';
import type { OidcSettings } from '../../src/core/config/oidc-settings.ts';

/**
 * Returns the sign-in by the configured provider, null without one. Sends no request.
 *
 * @throws Error that names the key if the secret of the client cannot be read.
 */
export function oidcSignIn(settings: OidcSettings | null): OidcSignIn | null {
  if (settings === null) return null;
  const now = (): number => Date.now();
  return new OidcSignIn({
    provider: openIdProvider(settings, { now, steadyNow: () => performance.now() }),
    tokens: loginTokens(now),
    loginSeconds: LOGIN_SECONDS,
    isSecure: settings.redirectUrl.startsWith('https:'),
    endsProviderSession: settings.logoutMode === 'provider',
  });
}
