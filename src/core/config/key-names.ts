/** `http.cors_origins` is `SVC_HTTP_CORS_ORIGINS` in the environment (docs/contract/configuration.md#sources). */
export const environmentName = (key: string): string => `SVC_${key.toUpperCase().replaceAll('.', '_')}`;

/** `http.cors_origins` is `--http-cors-origins` on the command line. */
export const flagName = (key: string): string => `--${key.replaceAll(/[._]/g, '-')}`;
