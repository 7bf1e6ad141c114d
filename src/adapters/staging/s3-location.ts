import type * as Sdk from '@aws-sdk/client-s3';
import { STAGING_LIMITS } from './limits.ts';
import type { FoundFile, FoundTree, StagingLocation } from './staging-location.ts';
import { stagingError, StagingError } from './staging-error.ts';

/**
 * The client with the requests that this program uses: the only loaded part of the SDK. It is loaded when the first s3
 * root is used.
 */
export interface S3 {
  readonly client: Sdk.S3Client;
  readonly sdk: typeof Sdk;
}

export interface S3PlaceOptions {
  readonly bucket: string;
  /** The keys of the object: for a file this key, for a directory all that begin with it and a slash. */
  readonly key: string;
  readonly isDirectory: boolean;
}

/** An object, or all objects below a prefix, in one bucket. */
export class S3Location implements StagingLocation {
  private readonly s3: S3;
  private readonly options: S3PlaceOptions;

  constructor(s3: S3, options: S3PlaceOptions) {
    this.s3 = s3;
    this.options = options;
  }

  async list(signal: AbortSignal): Promise<FoundTree | null> {
    const { isDirectory } = this.options;
    return this.said([], () => (isDirectory ? this.listPrefix(signal) : this.headObject(signal)));
  }

  async *read(file: FoundFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { sdk, client } = this.s3;
    const request = new sdk.GetObjectCommand({
      Bucket: this.options.bucket,
      Key: this.keyOf(file.below),
      IfMatch: file.stamp,
    });
    const { Body, ETag } = await this.said(file.below, () => client.send(request, { abortSignal: signal }));
    if (ETag !== file.stamp) throw this.changed(file.below);
    let size = 0;
    // In Node the body is a stream of buffers.
    for await (const chunk of Body as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      size += chunk.length;
      yield chunk;
    }
    if (size !== file.size) throw this.changed(file.below);
  }

  makeRoom(): Promise<void> {
    return Promise.resolve();
  }

  /** S3 has no directories. */
  makeDirectory(): Promise<void> {
    return Promise.resolve();
  }

  async write(file: FoundFile, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
    const { partBytes, partBytesMax, parts } = STAGING_LIMITS;
    if (file.size > partBytesMax * parts) {
      throw stagingError(
        this.textOf(file.below),
        `has ${file.size} bytes, and the most is ${partBytesMax * parts}`,
      );
    }
    const size = Math.max(partBytes, Math.ceil(file.size / parts));
    const pieces = piecesOf(content, size);
    try {
      return file.size <= size
        ? await this.putWhole(file, pieces, signal)
        : await this.putParts(file, pieces, signal);
    } finally {
      await pieces.return(undefined);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private keyOf(below: readonly string[]): string {
    const { key } = this.options;
    return [...(key === '' ? [] : [key]), ...below].join('/');
  }

  private textOf(below: readonly string[]): string {
    return `s3://${this.options.bucket}/${this.keyOf(below)}`;
  }

  private changed(below: readonly string[]): Error {
    return stagingError(this.textOf(below), 'was changed while it was copied');
  }

  private async headObject(signal: AbortSignal): Promise<FoundTree | null> {
    const { client, sdk } = this.s3;
    const { bucket: Bucket, key: Key } = this.options;
    try {
      const head = await client.send(new sdk.HeadObjectCommand({ Bucket, Key }), { abortSignal: signal });
      const { ContentLength: size = 0, ETag: stamp = '' } = head;
      return { directories: [], files: [{ below: [], size, stamp, isExecutable: false }] };
    } catch (error) {
      if (error instanceof sdk.NotFound) return null;
      throw error;
    }
  }

  private async listPrefix(signal: AbortSignal): Promise<FoundTree | null> {
    const { client, sdk } = this.s3;
    const prefix = this.options.key === '' ? '' : `${this.options.key}/`;
    const directories = new Map<string, readonly string[]>();
    const files: FoundFile[] = [];
    const request = { Bucket: this.options.bucket, Prefix: prefix };
    let isThere = false;
    for (let token: string | undefined, isLast = false; !isLast;) {
      const page = await client.send(
        new sdk.ListObjectsV2Command(
          token === undefined ? request : { ...request, ContinuationToken: token },
        ),
        { abortSignal: signal },
      );
      for (const { Key: key = '', Size: size = 0, ETag: stamp = '' } of page.Contents ?? []) {
        isThere = true;
        const below = this.wayOf(key.slice(prefix.length));
        const isMarker = key.endsWith('/');
        for (let depth = 1; depth < below.length + (isMarker ? 1 : 0); depth++) {
          const directory = below.slice(0, depth);
          directories.set(directory.join('/'), directory);
        }
        if (!isMarker && below.length > 0) files.push({ below, size, stamp, isExecutable: false });
        if (files.length + directories.size > STAGING_LIMITS.entries) {
          throw stagingError(
            this.textOf([]),
            `has more than ${STAGING_LIMITS.entries} objects and directories`,
          );
        }
      }
      token = page.NextContinuationToken;
      isLast = page.IsTruncated !== true || token === undefined;
    }
    const inOrder = [...directories.values()].sort((a, b) => a.length - b.length);
    return isThere ? { directories: inOrder, files } : null;
  }

  /** Returns the path components of a key below the prefix. Keys may contain any characters; names of files may not. */
  private wayOf(rest: string): readonly string[] {
    const names = rest.replace(/\/$/, '').split('/');
    if (names.length === 1 && names[0] === '') return [];
    if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0'))) {
      throw stagingError(`${this.textOf([])}/${rest}`, 'has a key that is not a valid file path');
    }
    if (names.length > STAGING_LIMITS.depth)
      throw stagingError(
        `${this.textOf([])}/${rest}`,
        `is nested more than ${STAGING_LIMITS.depth} directories deep`,
      );
    return names;
  }

  private async putWhole(
    file: FoundFile,
    pieces: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    const { client, sdk } = this.s3;
    let body: Uint8Array = Buffer.alloc(0);
    for await (const piece of pieces) {
      if (body.length > 0) throw this.changed(file.below);
      body = piece;
    }
    if (body.length !== file.size) throw this.changed(file.below);
    const { bucket: Bucket } = this.options;
    const put = new sdk.PutObjectCommand({ Bucket, Key: this.keyOf(file.below), Body: body });
    const { ETag } = await this.said(file.below, () => client.send(put, { abortSignal: signal }));
    return ETag ?? '';
  }

  /** Uploads a large file in parts. The parts of an incomplete upload are removed. */
  private async putParts(
    file: FoundFile,
    pieces: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<string> {
    const { client, sdk } = this.s3;
    const object = { Bucket: this.options.bucket, Key: this.keyOf(file.below) };
    const begun = await this.said(file.below, () =>
      client.send(new sdk.CreateMultipartUploadCommand(object), { abortSignal: signal }),
    );
    const upload = { ...object, UploadId: begun.UploadId };
    const parts: { readonly ETag: string | undefined; readonly PartNumber: number }[] = [];
    const put = async (Body: Uint8Array): Promise<void> => {
      const PartNumber = parts.length + 1;
      const part = new sdk.UploadPartCommand({ ...upload, PartNumber, Body });
      const { ETag } = await this.said(file.below, () => client.send(part, { abortSignal: signal }));
      parts.push({ ETag, PartNumber });
    };
    try {
      let size = 0;
      for await (const piece of pieces) {
        size += piece.length;
        await put(piece);
      }
      if (size !== file.size) throw this.changed(file.below);
      const complete = new sdk.CompleteMultipartUploadCommand({
        ...upload,
        MultipartUpload: { Parts: parts },
      });
      const { ETag } = await this.said(file.below, () => client.send(complete, { abortSignal: signal }));
      return ETag ?? '';
    } catch (error) {
      throw await this.afterGivingUp(upload, file, error);
    }
  }

  /** Returns the error that ended an upload, after its parts are removed; the message notes if they could not be. */
  private async afterGivingUp(
    upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
    file: FoundFile,
    error: unknown,
  ): Promise<unknown> {
    const { client, sdk } = this.s3;
    try {
      await this.said(file.below, () => client.send(new sdk.AbortMultipartUploadCommand(upload)));
      return error;
    } catch (second) {
      const [reason, why] = [error, second].map((each) =>
        each instanceof Error ? each.message : String(each),
      );
      return new StagingError(`${reason}; its parts could not be removed: ${why}`, { cause: error });
    }
  }

  /** Returns the reply of S3; its errors name the object. */
  private async said<T>(below: readonly string[], ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof StagingError) throw error;
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      if (name === 'PreconditionFailed') throw this.changed(below);
      if (name === 'NoSuchKey') throw stagingError(this.textOf(below), 'does not exist');
      throw new StagingError(`${JSON.stringify(this.textOf(below))}: S3 answered ${name}: ${message}`, {
        cause: error,
      });
    }
  }
}

/** Yields the same bytes in pieces of one size; the last one may be shorter. */
async function* piecesOf(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (let chunk of content) {
    while (length + chunk.length >= size) {
      const taken = chunk.subarray(0, size - length);
      yield Buffer.concat([...waiting, taken]);
      chunk = chunk.subarray(taken.length);
      waiting = [];
      length = 0;
    }
    if (chunk.length === 0) continue;
    waiting.push(chunk);
    length += chunk.length;
  }
  if (length > 0) yield Buffer.concat(waiting);
}
