/** A file to copy. */
export interface FoundFile {
  /** Path components from the copied object; empty if the object is the file itself. */
  readonly below: readonly string[];
  readonly size: number;
  /** Changes with each change of the file. */
  readonly stamp: string;
  readonly isExecutable: boolean;
}

/** Content of an object. */
export interface FoundTree {
  /** Without the object's own directory. A directory comes before its content. */
  readonly directories: readonly (readonly string[])[];
  readonly files: readonly FoundFile[];
}

/** A file or directory named by a parameter, on this host or in S3. Errors are StagingErrors that name the file. */
export interface StagingLocation {
  /** Returns null if it does not exist. */
  list(signal: AbortSignal): Promise<FoundTree | null>;
  /** Yields the content, in order; fails at the end if the file was changed meanwhile. */
  read(file: FoundFile, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Fails if there is not enough space. */
  makeRoom(bytes: number): Promise<void>;
  /** Creates a directory of the object; an empty path is the object's own directory. */
  makeDirectory(below: readonly string[]): Promise<void>;
  /** Replaces a file as a whole. Returns its stamp. */
  write(file: FoundFile, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}
