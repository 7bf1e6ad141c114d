import { S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';

/** An S3 server on the loopback. */
export interface S3Server {
  /** Environment variables that point a process to this server. */
  readonly environment: Readonly<Record<string, string>>;
  readonly client: S3Client;
  close(): Promise<void>;
}

/** Starts a server with these buckets, in a folder of its own. */
export async function startS3(directory: string, buckets: readonly string[]): Promise<S3Server> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: buckets.map((name) => ({ name })),
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    forcePathStyle: true,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return {
    environment: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    client,
    close: async () => {
      client.destroy();
      await server.close();
    },
  };
}
