import { STAGING_LIMITS } from './limits.ts';
import type { S3 } from './s3-location.ts';

/** Region for servers other than Amazon's, which require one and ignore its value. */
const ANY_REGION = 'us-east-1';

/**
 * Connects to S3 with the SDK's default chain: credentials, profile and region from the environment, the configuration
 * files, or the machine. An endpoint in `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` is a server other than Amazon's,
 * with bucket names in the path. Redirects to other regions are not followed. Optional checksums, which older servers
 * do not support, are omitted.
 */
export async function connectS3(environment: Readonly<Record<string, string | undefined>>): Promise<S3> {
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = environment['AWS_ENDPOINT_URL_S3'] ?? environment['AWS_ENDPOINT_URL'];
  const hasRegion = (environment['AWS_REGION'] ?? environment['AWS_PROFILE']) !== undefined;
  const elsewhere =
    endpoint === undefined
      ? {}
      : { endpoint, forcePathStyle: true, ...(hasRegion ? {} : { region: ANY_REGION }) };
  const client = new sdk.S3Client({
    ...elsewhere,
    followRegionRedirects: false,
    requestHandler: {
      connectionTimeout: STAGING_LIMITS.s3ConnectMs,
      socketTimeout: STAGING_LIMITS.s3SilenceMs,
    },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return { client, sdk };
}
