import type { StagingTransfer } from '../../core/delivery/staging-plan.ts';
import type { SessionId } from '../../core/ids.ts';
import type { FileOwner, Staging, StagingEvents, StagingRequest } from '../../core/ports/staging.ts';
import type { RunAs } from '../../core/ports/task-processes.ts';
import { FilesystemLocation } from './filesystem-location.ts';
import { STAGING_LIMITS } from './limits.ts';
import type { FoundFile, FoundTree, StagingLocation } from './staging-location.ts';
import { connectS3 } from './s3-connection.ts';
import { S3Location, type S3 } from './s3-location.ts';
import { Semaphore } from './semaphore.ts';
import { withPath, stagingError } from './staging-error.ts';

export interface LocalStagingOptions {
  readonly events: StagingEvents;
  /** Returns the ids of an account, null for the worker's own; rejects with the reason if no task may run as it here. */
  readonly ownerOf: (runAs: RunAs | null) => Promise<FileOwner | null>;
  readonly platform: NodeJS.Platform;
  /** Variables of the worker that configure the S3 endpoint and credentials. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Files copied in a session: stamps of the local files, by parameter and path. */
type Copied = Map<string, Map<string, string>>;

interface SessionCopies {
  readonly copied: Copied;
  underWay: AbortController | null;
}

const S3_SCHEME = 's3://';
/** The local copies are accessible only to the owner. */
const LOCAL_MODES = { file: 0o600, directory: 0o700 };
/** As a task would create them: the umask of the worker applies. */
const STORAGE_MODES = { file: 0o666, directory: 0o777 };
const CANCELED = 'the copy was canceled';

/** Copies files between storage locations and the directories of sessions on this host. */
export class LocalStaging implements Staging {
  private readonly options: LocalStagingOptions;
  private readonly sessions = new Map<SessionId, SessionCopies>();
  private readonly slots = new Semaphore(STAGING_LIMITS.filesAtOnce);
  private s3: Promise<S3> | null = null;

  constructor(options: LocalStagingOptions) {
    this.options = options;
  }

  begin(sessionId: SessionId, request: StagingRequest): void {
    const session = this.sessions.get(sessionId) ?? { copied: new Map(), underWay: null };
    this.sessions.set(sessionId, session);
    const underWay = new AbortController();
    session.underWay = underWay;
    void this.copyAll(request, session.copied, underWay.signal).then((failure) => {
      if (session.underWay === underWay) session.underWay = null;
      this.options.events.ended(sessionId, request.run, failure);
    });
  }

  stop(sessionId: SessionId): void {
    this.sessions.get(sessionId)?.underWay?.abort();
  }

  forget(sessionId: SessionId): void {
    this.stop(sessionId);
    this.sessions.delete(sessionId);
  }

  /** Returns the first error, or null. */
  private async copyAll(
    request: StagingRequest,
    copied: Copied,
    signal: AbortSignal,
  ): Promise<string | null> {
    if (this.options.platform !== 'linux') return 'stage_locally works on Linux alone';
    let owner: FileOwner | null;
    try {
      owner = await this.options.ownerOf(request.runAs);
    } catch (error) {
      return `stage_locally: ${error instanceof Error ? error.message : String(error)}`;
    }
    for (const transfer of request.transfers) {
      const { parameter, flow } = transfer;
      const stamps = copied.get(parameter) ?? new Map<string, string>();
      copied.set(parameter, stamps);
      try {
        if (request.direction === 'in') await this.copyIn(transfer, stamps, owner, signal);
        else if (flow !== 'IN') await this.copyOut(transfer, stamps, owner, signal);
      } catch (error) {
        const reason = signal.aborted ? CANCELED : error instanceof Error ? error.message : String(error);
        const direction = request.direction === 'in' ? 'copy in' : 'copy out';
        return `stage_locally: ${direction} of parameter ${parameter}: ${reason}`;
      }
    }
    return null;
  }

  private async copyIn(
    transfer: StagingTransfer,
    stamps: Map<string, string>,
    owner: FileOwner | null,
    signal: AbortSignal,
  ): Promise<void> {
    const local = await localPlace(transfer, owner);
    try {
      await makeLocalBase(transfer, owner);
      if (transfer.flow === 'OUT') return;
      await using(await this.storagePlace(transfer, owner), async (storage) => {
        const tree = await storage.list(signal);
        if (tree === null) throw stagingError(textOf(transfer), 'does not exist');
        checkKind(transfer, tree);
        await this.copyTree(storage, local, tree, tree.files, signal, (file, stamp) => {
          stamps.set(file.below.join('/'), stamp);
        });
      });
    } finally {
      await local.close();
    }
  }

  /** Copies new and changed files of the task. */
  private async copyOut(
    transfer: StagingTransfer,
    stamps: Map<string, string>,
    owner: FileOwner | null,
    signal: AbortSignal,
  ): Promise<void> {
    await using(await localPlace(transfer, owner), async (local) => {
      const tree = await local.list(signal);
      if (tree === null) return;
      checkKind(transfer, tree);
      const changed = tree.files.filter((file) => stamps.get(file.below.join('/')) !== file.stamp);
      if (changed.length === 0) return;
      await using(await this.storagePlace(transfer, owner), (storage) =>
        this.copyTree(local, storage, tree, changed, signal, (file) => {
          stamps.set(file.below.join('/'), file.stamp);
        }),
      );
    });
  }

  private async copyTree(
    from: StagingLocation,
    to: StagingLocation,
    { directories }: FoundTree,
    files: readonly FoundFile[],
    signal: AbortSignal,
    done: (file: FoundFile, stamp: string) => void,
  ): Promise<void> {
    await to.makeRoom(files.reduce((bytes, { size }) => bytes + size, 0));
    for (const below of directories) {
      signal.throwIfAborted();
      await to.makeDirectory(below);
    }
    // The first failure stops the others.
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const remaining = files.values();
    const copyNext = async (): Promise<void> => {
      for (const file of remaining) {
        either.throwIfAborted();
        await this.slots.use(either, async () => {
          done(file, await to.write(file, from.read(file, either), either));
        });
      }
    };
    const copiers = Array.from({ length: STAGING_LIMITS.filesAtOnce }, async () => {
      try {
        await copyNext();
        return null;
      } catch (error) {
        const isFirst = !failed.signal.aborted;
        failed.abort();
        return isFirst ? { error } : null;
      }
    });
    const failure = (await Promise.all(copiers)).find((each) => each !== null);
    if (failure !== undefined) throw failure.error;
  }

  private async storagePlace(transfer: StagingTransfer, owner: FileOwner | null): Promise<StagingLocation> {
    const { root, below, objectType } = transfer;
    if (!root.startsWith(S3_SCHEME)) {
      return FilesystemLocation.open({
        root,
        below,
        links: 'inside',
        owner,
        ownOnly: false,
        modes: STORAGE_MODES,
      });
    }
    const [bucket = '', ...prefix] = root
      .slice(S3_SCHEME.length)
      .split('/')
      .filter((part) => part !== '');
    const key = [...prefix, ...below].join('/');
    if (key === '' && objectType === 'FILE')
      throw stagingError(root, 'is a bucket, and the parameter is a FILE');
    return new S3Location(await this.connected(), { bucket, key, isDirectory: objectType === 'DIRECTORY' });
  }

  private connected(): Promise<S3> {
    this.s3 ??= connectS3(this.options.environment).catch((error: unknown) => {
      this.s3 = null;
      throw withPath('s3', error);
    });
    return this.s3;
  }
}

/**
 * Returns the copy in the session's directory. The account owns that directory and may change anything in it: links in
 * it are not followed.
 */
const localPlace = (
  { directory, localBelow }: StagingTransfer,
  owner: FileOwner | null,
): Promise<FilesystemLocation> =>
  FilesystemLocation.open({
    root: directory,
    below: localBelow,
    links: 'refuse',
    owner,
    ownOnly: true,
    modes: LOCAL_MODES,
  });

/** Returns the directory that the task reads or writes, or the directory of its file. */
async function makeLocalBase(transfer: StagingTransfer, owner: FileOwner | null): Promise<void> {
  const localBelow =
    transfer.objectType === 'DIRECTORY' ? transfer.localBelow : transfer.localBelow.slice(0, -1);
  await using(await localPlace({ ...transfer, localBelow }, owner), (base) => base.makeDirectory([]));
}

function checkKind(transfer: StagingTransfer, { files }: FoundTree): void {
  const isFile = files.length === 1 && files[0]?.below.length === 0;
  if (isFile === (transfer.objectType === 'FILE')) return;
  throw stagingError(
    textOf(transfer),
    isFile ? 'is not a directory' : 'is a directory, and the parameter is a FILE',
  );
}

const textOf = ({ root, below }: StagingTransfer): string =>
  [root.replace(/\/+$/, ''), ...below].join('/') || '/';

async function using<T>(place: StagingLocation, use: (place: StagingLocation) => Promise<T>): Promise<T> {
  try {
    return await use(place);
  } finally {
    await place.close();
  }
}
